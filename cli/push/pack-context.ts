import { createHash } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { contextArchiveMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { type Pack, pack } from 'tar-stream'
import { CliError } from '../failure.ts'
import { bytesText } from '../output/sizes.ts'
import type { ContextArchive } from './context-archive.ts'
import { type ContextEntry, contextEntries } from './context-entries.ts'
import type { LeftOut } from './left-out.ts'

/** A packed build context. The same files make the same bytes. */
export interface PackedContext extends ContextArchive {
  files: number
  leftOut: Pick<LeftOut, 'ignoreFile' | 'count'>
  /** Bytes of the history of a repository, before they are packed. */
  historyBytes: number
  remove(): Promise<void>
}

/** Packs a folder as tar.gz into a temporary file, which `remove` deletes. */
export async function packContext(folder: string): Promise<PackedContext> {
  const { entries, leftOut } = await contextEntries(folder)
  const work = await mkdtemp(join(tmpdir(), 'sandbox-push-'))
  const remove = () => rm(work, { recursive: true, force: true })
  try {
    const path = join(work, 'context.tar.gz')
    const { byteSize, digest } = await writeArchive(folder, entries, path)
    const files = entries.filter((entry) => entry.kind === 'file')
    const history = files.filter((entry) => entry.path.startsWith('.git/'))
    const historyBytes = history.reduce((sum, entry) => sum + entry.byteSize, 0)
    const archive = { path, format: 'tar.gz', byteSize, digest } as const
    return { ...archive, files: files.length, leftOut, historyBytes, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function writeArchive(folder: string, entries: ContextEntry[], path: string) {
  const archive = pack()
  const hash = createHash('sha256')
  let byteSize = 0
  const measured = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      byteSize += chunk.length
      if (byteSize > contextArchiveMaxBytes) throw tooLarge()
      hash.update(chunk)
      yield chunk
    }
  }
  // If reading entries fails, the archive must fail too, or the writer would wait forever.
  const filled = fill(archive, folder, entries).catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)))
  })
  await pipeline(archive, createGzip(), measured, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
  await filled
  return { byteSize, digest: `sha256:${hash.digest('hex')}` }
}

async function fill(archive: Pack, folder: string, entries: ContextEntry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.kind === 'file') await addFile(archive, folder, entry)
    else await addBare(archive, entry)
  }
  archive.finalize()
}

/**
 * Owner and times of this machine are meaningless in a build and would change the digest. For a time of 0 the service takes that
 * of the upload.
 */
const neutral = { mtime: new Date(0), uid: 0, gid: 0 }

function addBare(archive: Pack, entry: Exclude<ContextEntry, { kind: 'file' }>): Promise<void> {
  const header =
    entry.kind === 'directory'
      ? ({ name: `${entry.path}/`, type: 'directory', mode: entry.mode, ...neutral } as const)
      : ({ name: entry.path, type: 'symlink', linkname: entry.target, mode: 0o777, ...neutral } as const)
  return new Promise((resolve, reject) => {
    archive.entry(header, (error) => (error ? reject(error) : resolve()))
  })
}

async function addFile(archive: Pack, folder: string, entry: { path: string; mode: number }): Promise<void> {
  const file = await open(join(folder, entry.path), constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = await file.stat()
    const header = { name: entry.path, type: 'file', mode: entry.mode, size, ...neutral } as const
    const sink = archive.entry(header)
    if (size === 0) return void sink.end(Buffer.alloc(0))
    await pipeline(file.createReadStream({ autoClose: false, end: size - 1 }), sink)
  } finally {
    await file.close()
  }
}

const tooLarge = () =>
  new CliError(`The packed folder is larger than ${bytesText(contextArchiveMaxBytes)}.`, {
    hint: 'Move what the build does not need out of the folder; packages belong in a base image.',
    code: 'cli_context',
  })
