import { createHash } from 'node:crypto'
import { type FileHandle, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { allEnded } from '../base/all-ended.ts'
import { firstBytes } from '../base/first-bytes.ts'
import { DeletionHold } from './deletion-hold.ts'
import { folderMode, Incoming } from './incoming.ts'
import {
  type NamedBytes,
  ObjectMissing,
  type ObjectStorage,
  ObjectTooLarge,
  type StoredObject,
} from './port.ts'

const keyPattern = /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*){0,6}$/

/** What one call reads or writes, about. */
const chunkBytes = 256 * 1024

/** API and worker, whose group the root's is, replace and remove what the other has written. */
const objectMode = 0o660

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Objects as files below one folder: written beside their place, synced, then renamed into it. */
export class DiskStorage implements ObjectStorage {
  readonly #root: string
  readonly #incoming: Incoming
  readonly #hold: DeletionHold

  constructor(root: string) {
    this.#root = root
    this.#incoming = new Incoming(join(root, 'incoming'))
    this.#hold = new DeletionHold(root)
  }

  /** Removes what writers and backups left that were killed; for a process that starts. */
  async removeAbandoned(): Promise<void> {
    await this.#hold.removeAbandoned()
    await this.#incoming.removeAbandoned()
  }

  async put(
    key: string,
    body: Readable | Buffer,
    options: { maxBytes?: number } = {},
  ): Promise<StoredObject> {
    const path = this.#path(key)
    const part = await this.#incoming.newPart()
    await mkdir(dirname(path), { recursive: true, mode: folderMode })
    try {
      const stored = await writePart(part, body, options.maxBytes ?? Number.POSITIVE_INFINITY)
      await rename(part, path)
      await syncFolder(dirname(path))
      return stored
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  async putAll(objects: readonly NamedBytes[]): Promise<void> {
    const parts = await this.#incoming.newParts(objects.length)
    const files = objects.map(({ key, bytes }, at) => ({
      part: parts[at] ?? '',
      path: this.#path(key),
      bytes,
    }))
    const folders = [...new Set(files.map(({ path }) => dirname(path)))]
    await allEnded(folders.map((folder) => mkdir(folder, { recursive: true, mode: folderMode })))
    try {
      await allEnded(files.map(({ part, bytes }) => writePart(part, bytes, Number.POSITIVE_INFINITY)))
      for (const { part, path } of files) await rename(part, path)
    } catch (error) {
      await allEnded(files.map(({ part }) => rm(part, { force: true })))
      throw error
    }
    await allEnded(folders.map(syncFolder))
  }

  async read(key: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
    const file = await open(this.#path(key), 'r').catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    if (!file) return undefined
    try {
      return await firstBytes(file, maxBytes)
    } finally {
      await file.close()
    }
  }

  async get(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const file = await open(this.#path(key), 'r').catch((error: unknown) => {
      throw isMissing(error) ? new ObjectMissing(key) : error
    })
    // A stream takes all of its buffer for the first byte.
    const { size } = await file.stat()
    return file.createReadStream({ ...range, highWaterMark: Math.max(1, Math.min(size, chunkBytes)) })
  }

  async size(key: string): Promise<number | undefined> {
    try {
      return (await stat(this.#path(key))).size
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async move(from: string, to: string): Promise<void> {
    const path = this.#path(to)
    await mkdir(dirname(path), { recursive: true, mode: folderMode })
    await rename(this.#path(from), path).catch((error: unknown) => {
      throw isMissing(error) ? new ObjectMissing(from) : error
    })
    await syncFolder(dirname(path))
  }

  /** A second name of the same bytes: an object is replaced, never written to. */
  async copy(from: string, to: string): Promise<void> {
    const path = this.#path(to)
    const part = await this.#incoming.newPart()
    await mkdir(dirname(path), { recursive: true, mode: folderMode })
    await link(this.#path(from), part).catch((error: unknown) => {
      throw isMissing(error) ? new ObjectMissing(from) : error
    })
    try {
      await rename(part, path)
    } finally {
      // Between two names of one file a rename does nothing.
      await rm(part, { force: true })
    }
    await syncFolder(dirname(path))
  }

  async delete(key: string): Promise<void> {
    await this.#hold.delete(this.#path(key), key)
  }

  #path(key: string): string {
    if (!keyPattern.test(key)) throw new Error(`not an object key: ${JSON.stringify(key)}`)
    return join(this.#root, 'objects', key)
  }
}

async function writePart(path: string, body: Readable | Buffer, maxBytes: number): Promise<StoredObject> {
  const hash = createHash('sha256')
  let byteSize = 0
  let gathered: Buffer[] = []
  let gatheredBytes = 0
  const file = await open(path, 'wx', objectMode)
  const write = async () => {
    if (gatheredBytes > 0) await writeAll(file, gathered, gatheredBytes)
    gathered = []
    gatheredBytes = 0
  }
  try {
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      const bytes = chunk as Buffer
      byteSize += bytes.length
      if (byteSize > maxBytes) throw new ObjectTooLarge(maxBytes)
      hash.update(bytes)
      gathered.push(bytes)
      gatheredBytes += bytes.length
      if (gatheredBytes >= chunkBytes) await write()
    }
    await write()
    await file.sync()
  } finally {
    await file.close()
  }
  return { byteSize, digest: `sha256:${hash.digest('hex')}` }
}

/** One call for many pieces; what a call leaves over, as on a disk that is nearly full, is written by itself. */
async function writeAll(file: FileHandle, pieces: Buffer[], byteSize: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces)
  if (bytesWritten < byteSize) await file.appendFile(Buffer.concat(pieces).subarray(bytesWritten))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
