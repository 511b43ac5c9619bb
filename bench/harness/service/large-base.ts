import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { agentPaths } from '../../../agent/host/paths.ts'
import { importBase } from '../../../server/operations/host/base-images.ts'
import { tarEnd, tarFile } from './tar-file.ts'

export const largeBaseName = 'curated/large:1'
const files = 30_000
const filesPerFolder = 100
const fileBytes = 35 * 1024
/** The rest of a file is text, as in a usual base, of which a third or so remains when it is compressed. */
const randomBytes = 12 * 1024
const text = 'The quick brown fox jumps over the lazy dog.\n'

/** Writes a tar of 1 GB in 30,000 files and a static busybox. The same bytes every time. */
export async function writeLargeBase(path: string): Promise<void> {
  const busybox = await readFile('/bin/busybox')
  function* entries() {
    yield tarFile('bin/busybox', busybox, 0o755)
    for (let at = 0; at < files; at += 1) {
      const name = `usr/lib/large/${Math.floor(at / filesPerFolder)}/file-${at}`
      yield tarFile(
        name,
        Buffer.concat([seeded(name, randomBytes), Buffer.alloc(fileBytes - randomBytes, text)]),
      )
    }
    yield tarEnd
  }
  await pipeline(Readable.from(entries()), createWriteStream(path))
}

/** Adds that base image to the service on `dataDir`. */
export async function addLargeBase(dataDir: string): Promise<void> {
  await importBase(agentPaths(dataDir), largeBaseName, writeLargeBase)
}

/** Bytes that do not compress, the same for the same seed. */
export const seeded = (seed: string, byteSize: number): Buffer =>
  createHash('shake256', { outputLength: byteSize }).update(seed).digest()
