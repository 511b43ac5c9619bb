import { type FileHandle, link, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { dayMs } from '../base/clock.ts'
import { firstBytes } from '../base/first-bytes.ts'
import { settleAll } from '../base/settle-all.ts'
import { DeletionPause } from './deletion-pause.ts'
import {
  inFolder,
  isMissing,
  isRemoved,
  linkUnlessPresent,
  removeEmptyBelow,
  syncInFolder,
  syncPath,
} from './folders.ts'
import { FreeSpace } from './free-space.ts'
import { Incoming } from './incoming.ts'
import { objectKey } from './object-key.ts'
import {
  type NamedBytes,
  ObjectMissing,
  type OpenedObject,
  type PutOptions,
  type ServiceStorage,
  type StoredObject,
} from './port.ts'
import { chunkBytes, writePart } from './write-part.ts'

/**
 * Objects as files below one folder: written to a temporary file, synced, then renamed into place. An object that nobody reads
 * yet gets its name first, and file and folder are synced together: after a power cut it may be there without its bytes, until
 * the caller, who got no answer, stores it again.
 */
export class DiskStorage implements ServiceStorage {
  readonly sweeps = [
    { name: 'abandoned parts', everyMs: 600_000, remove: () => this.removeAbandonedParts() },
    { name: 'empty folders', everyMs: dayMs, remove: () => this.removeEmptyFolders() },
  ]
  readonly #root: string
  readonly #incoming: Incoming
  readonly #pause: DeletionPause
  readonly #space: FreeSpace

  /** `floorBytes` of the disk always stay free. */
  constructor(root: string, floorBytes?: number) {
    this.#root = root
    this.#space = new FreeSpace(root, floorBytes)
    this.#incoming = new Incoming(join(root, 'incoming'))
    this.#pause = new DeletionPause(root)
  }

  async removeAbandoned(): Promise<void> {
    await this.#pause.removeAbandoned()
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
      else await syncInFolder(dirname(path), () => rename(part, path))
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
    await settleAll(folders.map(syncPath))
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
    const { ino, size, mtimeNs } = await file.stat({ bigint: true }).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    return {
      byteSize: Number(size),
      // Without the time of the last change of the inode: a copy is a link to it.
      stamp: [ino, size, mtimeNs].join('.'),
      read: (start, end, shared) => piecesOf(file, start, end, shared),
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
    await syncInFolder(dirname(path), () => rename(this.#path(from), path))
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
      await syncInFolder(dirname(path), () => rename(part, path))
    } finally {
      // A rename between two links of one file does nothing.
      await rm(part, { force: true })
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key)
    await this.#pause.delete(path, key)
    await this.#removeEmpty(dirname(path))
  }

  hasSpace(): Promise<boolean> {
    return this.#space.hasSpace()
  }

  /** Writes and removes a byte where new objects arrive. */
  async probe(): Promise<void> {
    const part = await this.#incoming.newPart()
    try {
      await writeFile(part, '.', { flag: 'wx', mode: 0o660 })
    } finally {
      await rm(part, { force: true })
    }
  }

  /** Removes empty folders upwards. A concurrent writer creates its folder again. */
  async #removeEmpty(folder: string): Promise<void> {
    const top = join(this.#root, 'objects')
    for (let at = folder; at !== top; at = dirname(at)) if (!(await isRemoved(at))) return
  }

  #path(key: string): string {
    return join(this.#root, 'objects', objectKey(key))
  }
}

async function* piecesOf(
  file: FileHandle,
  start: number,
  end: number,
  shared?: Buffer,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const buffer = shared ?? Buffer.allocUnsafe(Math.min(chunkBytes, end - at))
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at)
    if (bytesRead === 0) throw new Error('an object is shorter than expected')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
