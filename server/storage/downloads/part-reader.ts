import { CodedError } from '../../base/errors/coded-error.ts'
import { sha256Of } from '../../base/sha256.ts'
import { type Slice, slicesOf } from '../../base/sharing/loop-slices.ts'
import type { ObjectStorage, OpenedObject } from '../port.ts'
import { hasLeft, type StoredPart, type VerifiedObjects } from './verified-objects.ts'

/** A part of this size is one read, so it is compared where it is read, each time. */
const smallBytes = 64 * 1024

type Objects = Pick<ObjectStorage, 'opened'>

/**
 * Reads many parts, in slices of their company: a zip of thousands of small files would keep the event loop as busy as it can. Parts of
 * one object that follow each other are read from one open object. Close it when no part is being read.
 */
export class PartReader {
  readonly #storage: Objects
  readonly #verified: Pick<VerifiedObjects, 'verify'>
  readonly #who: { companyId: string; signal: AbortSignal }
  readonly #slice: Slice
  #opened: { key: string; object: OpenedObject } | undefined

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
      yield await smallPart(object, part)
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
    if (part.byteSize <= smallBytes) await smallPart(object, part)
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
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
}

async function smallPart(object: OpenedObject, { start, byteSize, digest }: StoredPart): Promise<Buffer> {
  const bytes = Buffer.concat(await Array.fromAsync(object.read(start, start + byteSize)))
  if (sha256Of(bytes) !== digest) throw new CodedError('storage_unavailable')
  return bytes
}
