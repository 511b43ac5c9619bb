import { createHash } from 'node:crypto'
import { type FileHandle, link, mkdir, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { firstBytes } from '../base/first-bytes.ts'
import { settleAll } from '../base/sharing/settle-all.ts'
import { DeletionHold } from './deletion-hold.ts'
import { FreeSpace } from './free-space.ts'
import { folderMode, Incoming } from './incoming.ts'
import {
  type NamedBytes,
  ObjectMissing,
  type ObjectStorage,
  ObjectTooLarge,
  type OpenedObject,
  type PutOptions,
  type StoredObject,
} from './port.ts'

const keyPattern = /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*){0,6}$/

/** Approximate size of one read or write call. */
const chunkBytes = 256 * 1024
/**
 * Bytes written between two checks of the free space, and between two syncs: a sync of any writer on this disk waits
 * for everything not yet written.
 */
const stretchBytes = 4 * 1024 ** 2
/** Attempts to create a folder again that a removal deletes as empty. */
const placingsMax = 10

/** API and worker share the group of the root: each replaces and removes files of the other. */
const objectMode = 0o660

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/**
 * Objects as files below one folder: written to a temporary file, synced, then renamed into place. An object that nobody reads
 * yet gets its name first, and file and folder are synced together: after a power cut it may be there without its bytes, until
 * the caller, who got no answer, stores it again.
 */
export class DiskStorage implements ObjectStorage {
  readonly #root: string
  readonly #incoming: Incoming
  readonly #hold: DeletionHold
  readonly #space: FreeSpace

  /** `floorBytes` of the disk always stay free. */
  constructor(root: string, floorBytes?: number) {
    this.#root = root
    this.#space = new FreeSpace(root, floorBytes)
    this.#incoming = new Incoming(join(root, 'incoming'))
    this.#hold = new DeletionHold(root)
  }

  /** Removes the residue of killed writers and backups; called when a process starts. */
  async removeAbandoned(): Promise<void> {
    await this.#hold.removeAbandoned()
    await this.removeAbandonedParts()
  }

  /** Removes the residue of killed writers, at any time; returns their number. */
  removeAbandonedParts(): Promise<number> {
    return this.#incoming.removeAbandoned()
  }

  /**
   * Removes empty folders, the residue of interrupted removals. It walks the whole tree, so call it only in an
   * infrequent loop.
   */
  removeEmptyFolders(): Promise<number> {
    return removeEmptyBelow(join(this.#root, 'objects'))
  }

  async put(
    key: string,
    body: Readable | Buffer,
    { maxBytes = Number.POSITIVE_INFINITY, isUnread = false }: PutOptions = {},
  ): Promise<StoredObject> {
    const path = this.#path(key)
    const part = await this.#incoming.newPart()
    const placeUnread = () => linkUnlessPresent(part, path)
    try {
      const partBody = { body, maxBytes, space: this.#space, ...(isUnread && { placeUnread }) }
      const { isPlaced, ...stored } = await writePart(part, partBody)
      if (isPlaced) await rm(part)
      else await place(dirname(path), () => rename(part, path))
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
    const maxBytes = Number.POSITIVE_INFINITY
    try {
      await settleAll(
        files.map(({ part, bytes }) => writePart(part, { body: bytes, maxBytes, space: this.#space })),
      )
      for (const { part, path } of files) await inFolder(dirname(path), () => rename(part, path))
    } catch (error) {
      await settleAll(files.map(({ part }) => rm(part, { force: true })))
      throw error
    }
    await settleAll(folders.map(syncFolder))
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
    // A stream allocates its whole buffer for the first byte.
    const { size } = await file.stat()
    return file.createReadStream({ ...range, highWaterMark: Math.max(1, Math.min(size, chunkBytes)) })
  }

  async opened(key: string): Promise<OpenedObject> {
    const file = await open(this.#path(key), 'r').catch((error: unknown) => {
      throw isMissing(error) ? new ObjectMissing(key) : error
    })
    const { ino, size, mtimeNs, ctimeNs } = await file
      .stat({ bigint: true })
      .catch(async (error: unknown) => {
        await file.close()
        throw error
      })
    return {
      byteSize: Number(size),
      stamp: [ino, size, mtimeNs, ctimeNs].join('.'),
      read: (start, end) => piecesOf(file, start, end),
      close: () => file.close(),
    }
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
    // Checked first, so that no folder is created for a missing object.
    if ((await this.size(from)) === undefined) throw new ObjectMissing(from)
    await place(dirname(path), () => rename(this.#path(from), path))
    await this.#removeEmpty(dirname(this.#path(from)))
  }

  /** A hard link to the same bytes: an object is replaced, never modified. */
  async copy(from: string, to: string): Promise<void> {
    const path = this.#path(to)
    const part = await this.#incoming.newPart()
    await link(this.#path(from), part).catch((error: unknown) => {
      throw isMissing(error) ? new ObjectMissing(from) : error
    })
    try {
      await place(dirname(path), () => rename(part, path))
    } finally {
      // A rename between two links of one file does nothing.
      await rm(part, { force: true })
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key)
    await this.#hold.delete(path, key)
    await this.#removeEmpty(dirname(path))
  }

  hasSpace(): Promise<boolean> {
    return this.#space.hasSpace()
  }

  /** Removes empty folders upwards. A concurrent writer creates its folder again. */
  async #removeEmpty(folder: string): Promise<void> {
    const top = join(this.#root, 'objects')
    for (let at = folder; at !== top; at = dirname(at)) if (!(await isRemoved(at))) return
  }

  #path(key: string): string {
    if (!keyPattern.test(key)) throw new Error(`not an object key: ${JSON.stringify(key)}`)
    return join(this.#root, 'objects', key)
  }
}

/** False for a folder that is not empty; true for a missing one. */
const isRemoved = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    (error: unknown) => isMissing(error),
  )

async function removeEmptyBelow(folder: string): Promise<number> {
  const entries = await opendir(folder).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  let removed = 0
  for await (const entry of entries ?? []) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    removed += await removeEmptyBelow(path)
    if (await isRemoved(path)) removed += 1
  }
  return removed
}

/** Creates the folder and does the work, again if a removal deleted the empty folder in between. */
async function inFolder(folder: string, work: () => Promise<void>): Promise<void> {
  for (let left = placingsMax; ; left -= 1) {
    try {
      await mkdir(folder, { recursive: true, mode: folderMode })
      return await work()
    } catch (error) {
      if (!isMissing(error) || left <= 1) throw error
    }
  }
}

/** Like `inFolder`, and durable over a power loss. */
async function place(folder: string, work: () => Promise<void>): Promise<void> {
  await inFolder(folder, work)
  await syncFolder(folder)
}

/**
 * Gives a part that is not synced its final name, and returns the folder of the name; undefined if the name is in use. An
 * object that is present may be one that somebody relies on, and is replaced only by bytes that are on disk.
 */
async function linkUnlessPresent(part: string, path: string): Promise<string | undefined> {
  try {
    await inFolder(dirname(path), () => link(part, path))
    return dirname(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined
    throw error
  }
}

interface PartBody {
  body: Readable | Buffer
  maxBytes: number
  space: FreeSpace
  /** Gives the part its final name before it is synced, and returns the folder of the name; undefined if it could not. */
  placeUnread?: () => Promise<string | undefined>
}

/** Resolves when the part is on disk, and if `isPlaced` its final name too. */
async function writePart(
  path: string,
  { body, maxBytes, space, placeUnread }: PartBody,
): Promise<StoredObject & { isPlaced: boolean }> {
  await space.require(Buffer.isBuffer(body) ? body.length : 0)
  const hash = createHash('sha256')
  let byteSize = 0
  let gathered: Buffer[] = []
  let gatheredBytes = 0
  let checkAtBytes = stretchBytes
  let isPlaced = false
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
      if (byteSize > checkAtBytes) {
        await space.require(stretchBytes)
        await file.datasync()
        checkAtBytes = byteSize + stretchBytes
      }
      hash.update(bytes)
      gathered.push(bytes)
      gatheredBytes += bytes.length
      if (gatheredBytes >= chunkBytes) await write()
    }
    await write()
    const placed = await placeUnread?.()
    isPlaced = placed !== undefined
    // Both at once: the file system's journal writes the file and its name with one commit, and one wait for other writers.
    await settleAll([file.sync(), ...(placed === undefined ? [] : [syncFolder(placed)])])
  } finally {
    await file.close()
  }
  return { byteSize, digest: `sha256:${hash.digest('hex')}`, isPlaced }
}

async function* piecesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(chunkBytes, end - at)
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
    if (bytesRead === 0) throw new Error('an object is shorter than expected')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/**
 * One call for many pieces; if it writes only a part, as on a disk that is nearly full, the rest is written
 * separately.
 */
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
