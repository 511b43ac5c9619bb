import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { DigestedStream, linesOf } from './streams.ts'

/** A file of a backup, with its path in the backup. */
export interface ListedFile {
  path: string
  byteSize: number
  sha256: string
}

const listName = 'files.gz'

/** Writes the list and returns its sha256. */
export async function writeFileList(target: string, files: Iterable<ListedFile>): Promise<string> {
  const digested = new DigestedStream()
  await pipeline(
    Readable.from(listed(files)),
    createGzip(),
    digested,
    createWriteStream(join(target, listName), { mode: 0o600 }),
  )
  return digested.sha256
}

function* listed(files: Iterable<ListedFile>): Generator<string> {
  for (const { path, byteSize, sha256 } of files) yield `${JSON.stringify([path, byteSize, sha256])}\n`
}

/** Reads the list. Undefined if its sha256 differs from the given one. */
export async function readFileList(source: string, sha256: string): Promise<ListedFile[] | undefined> {
  const digested = new DigestedStream()
  const files: ListedFile[] = []
  const read = async (text: AsyncIterable<Buffer>) => {
    for await (const line of linesOf(text)) {
      const [path, byteSize, digest] = JSON.parse(line) as [string, number, string]
      files.push({ path, byteSize, sha256: digest })
    }
  }
  try {
    await pipeline(createReadStream(join(source, listName)), digested, createGunzip(), read)
  } catch {
    return undefined
  }
  return digested.sha256 === sha256 ? files : undefined
}
