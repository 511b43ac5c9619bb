import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { settleAll } from '../base/settle-all.ts'
import { syncPath } from './folders.ts'
import type { FreeSpace } from './free-space.ts'
import { ObjectTooLarge, type StoredObject } from './port.ts'

/** Approximate size of one read or write call. */
export const chunkBytes = 256 * 1024
/**
 * Bytes written between two checks of the free space, and between two syncs: a sync of any writer on this disk waits
 * for everything not yet written.
 */
const stretchBytes = 4 * 1024 ** 2

/** API and worker share the group of the root: each replaces and removes files of the other. */
const objectMode = 0o660

interface PartBody {
  body: Readable | Buffer
  maxBytes: number
  space: FreeSpace
  /** Gives the part its final name before it is synced, and returns the folder of the name; undefined if it could not. */
  placeUnread?: () => Promise<string | undefined>
}

/** Resolves when the part is on disk, and if `isPlaced` its final name too. */
export async function writePart(
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
    await settleAll([file.sync(), ...(placed === undefined ? [] : [syncPath(placed)])])
  } finally {
    await file.close()
  }
  return { byteSize, digest: `sha256:${hash.digest('hex')}`, isPlaced }
}

/**
 * One call for many pieces; if it writes only a part, as on a disk that is nearly full, the rest is written
 * separately.
 */
async function writeAll(file: FileHandle, pieces: Buffer[], byteSize: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces)
  if (bytesWritten < byteSize) await file.appendFile(Buffer.concat(pieces).subarray(bytesWritten))
}
