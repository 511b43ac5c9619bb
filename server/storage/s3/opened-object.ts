import type { OpenedObject } from '../port.ts'
import type { Bucket, Head } from './bucket.ts'

/**
 * Bytes of one request. A reader that is slow holds these in memory and no connection to the store, of which there are few.
 */
const windowBytes = 1024 ** 2
/** Read at least, for small reads that follow each other. */
const aheadBytes = 256 * 1024
/** Of a piece that a reader gets. */
const pieceBytes = 256 * 1024

/** An object by its description: each request names the ETag, and each answer has to have the stamp. */
export function openedObject(bucket: Bucket, key: string, head: Head): OpenedObject {
  let held: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }
  const windowAt = async (start: number, end: number): Promise<Buffer> => {
    if (start < held.start || start >= held.start + held.bytes.length) {
      const until = Math.min(Math.max(end, start + aheadBytes), start + windowBytes, head.byteSize)
      held = { start, bytes: await bucket.piece(key, head, { start, end: until }) }
    }
    return held.bytes.subarray(start - held.start, end - held.start)
  }
  return {
    byteSize: head.byteSize,
    stamp: head.stamp,
    read: async function* (start, end) {
      if (end > head.byteSize) throw new Error('an object is shorter than expected')
      for (let at = start; at < end; ) {
        const bytes = (await windowAt(at, end)).subarray(0, pieceBytes)
        yield bytes
        at += bytes.length
      }
    },
    close: async () => {
      held = { start: 0, bytes: Buffer.alloc(0) }
    },
  }
}
