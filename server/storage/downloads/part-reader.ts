import { CodedError } from '../../base/errors/coded-error.ts'
import { sha256Of } from '../../base/sha256.ts'
import { type Slice, slicesOf } from '../../fairness/loop-slices.ts'
import type { ObjectStorage, OpenedObject } from '../port.ts'
import { hasLeft, type StoredPart, type VerifiedObjects } from './verified-objects.ts'

/** Read at once. A part of this size is compared where it is read, each time. */
const smallBytes = 64 * 1024

type Objects = Pick<ObjectStorage, 'opened'>

/**
 * Reads many parts, in slices of their company: a zip of thousands of small files would keep the event loop as busy as it can. Parts of
 * one object that follow each other are read from one open object, and small ones together. Close it when no part is being read.
 */
export class PartReader {
  readonly #storage: Objects
  readonly #verified: Pick<VerifiedObjects, 'verify'>
  readonly #who: { companyId: string; signal: AbortSignal }
  readonly #slice: Slice
  #opened: { key: string; object: OpenedObject } | undefined
  /** The bytes read of the open object for a small part. */
  #window = { start: 0, bytes: Buffer.alloc(0) }

  constructor(
    storage: Objects,
    verified: Pick<VerifiedObjects, 'verify'>,
    who: { companyId: string; signal: AbortSignal },
  ) {
    this.#storage = storage
    this.#verified = verified
    this.#who = who
    this.#slice = slicesOf(who.companyId)
  }

  /** The bytes, compared with their digest before the first one. Throws `ObjectMissing` and what `VerifiedObjects.verify` throws. */
  async *bytesOf(part: StoredPart): AsyncGenerator<Buffer, void> {
    const { start, byteSize } = part
    const object = await this.#start(part)
    if (byteSize <= smallBytes) {
      yield await this.#smallPart(object, part)
      return
    }
    for await (const bytes of object.read(start, start + byteSize)) {
      await this.#pace()
      yield bytes
    }
  }

  /** Throws what `bytesOf` throws. */
  async compare(part: StoredPart): Promise<void> {
    const object = await this.#start(part)
    if (part.byteSize <= smallBytes) await this.#smallPart(object, part)
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    this.#window = { start: 0, bytes: Buffer.alloc(0) }
    await opened?.object.close()
  }

  /** The object of a part. A large part is compared. */
  async #start(part: StoredPart): Promise<OpenedObject> {
    await this.#pace()
    const object = await this.#open(part.key)
    if (part.byteSize > smallBytes) await this.#verified.verify(object, part, this.#who)
    return object
  }

  async #pace(): Promise<void> {
    if (this.#who.signal.aborted) throw hasLeft()
    if (this.#slice.isOver) await this.#slice.next()
  }

  async #open(key: string): Promise<OpenedObject> {
    if (this.#opened?.key === key) return this.#opened.object
    await this.close()
    this.#opened = { key, object: await this.#storage.opened(key) }
    return this.#opened.object
  }

  async #smallPart(object: OpenedObject, { start, byteSize, digest }: StoredPart): Promise<Buffer> {
    const end = start + byteSize
    const { start: from, bytes: read } = this.#window
    if (start < from || end > from + read.length) {
      const windowEnd = Math.max(end, Math.min(start + smallBytes, object.byteSize))
      this.#window = { start, bytes: Buffer.concat(await Array.fromAsync(object.read(start, windowEnd))) }
    }
    const { start: first, bytes } = this.#window
    const part = bytes.subarray(start - first, end - first)
    if (sha256Of(part) !== digest) throw new CodedError('storage_unavailable')
    return part
  }
}
