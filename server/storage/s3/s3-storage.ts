import { Readable } from 'node:stream'
import {
  type NamedBytes,
  ObjectMissing,
  type OpenedObject,
  type PutOptions,
  type ServiceStorage,
  type StoredObject,
} from '../port.ts'
import { StorageUnavailable } from '../unavailable.ts'
import { removeAbandonedUploads } from './abandoned-uploads.ts'
import { Bucket } from './bucket.ts'
import { copyObject } from './copy-object.ts'
import { openedObject } from './opened-object.ts'
import { isRefusal } from './s3-call.ts'
import { type BucketConfig, s3Client } from './s3-client.ts'
import { upload } from './upload.ts'

const probeKey = 'probe'
const missingKey = 'probe-missing'

/**
 * Objects in a bucket of a store that speaks S3. Nothing relies on checksums or conditions of the store: digests are the service's
 * own, and each object has a random stamp in its metadata. A request that failed may still succeed later: it stores the bytes that
 * its caller wanted under a key that has no others.
 */
export class S3Storage implements ServiceStorage {
  readonly sweeps = [
    { name: 'abandoned uploads', everyMs: 3_600_000, remove: () => removeAbandonedUploads(this.#bucket) },
  ]
  readonly #bucket: Bucket

  constructor(config: BucketConfig) {
    const prefix = config.s3Prefix === undefined ? '' : `${config.s3Prefix}/`
    this.#bucket = new Bucket(s3Client(config), config.s3Bucket, prefix)
  }

  async put(
    key: string,
    body: Readable | Buffer,
    { maxBytes = Number.POSITIVE_INFINITY }: PutOptions = {},
  ): Promise<StoredObject> {
    return upload(this.#bucket, key, Buffer.isBuffer(body) ? [body] : body, { maxBytes })
  }

  /** One after the other: the last one is often what makes the others reachable. */
  async putAll(objects: readonly NamedBytes[]): Promise<void> {
    for (const { key, bytes } of objects) await this.put(key, bytes)
  }

  async get(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const object = await this.opened(key)
    const end = Math.min(range ? range.end + 1 : object.byteSize, object.byteSize)
    return Readable.from(object.read(range?.start ?? 0, end), { objectMode: false })
  }

  async opened(key: string): Promise<OpenedObject> {
    const head = await this.#bucket.head(key)
    if (!head) throw new ObjectMissing(key)
    return openedObject(this.#bucket, key, head)
  }

  read(key: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
    return this.#bucket.first(key, maxBytes)
  }

  async size(key: string): Promise<number | undefined> {
    return (await this.#bucket.head(key))?.byteSize
  }

  /** A copy and a deletion: interrupted between them it leaves both, and may be repeated. */
  async move(from: string, to: string): Promise<void> {
    await copyObject(this.#bucket, from, to)
    await this.#bucket.delete(from)
  }

  copy(from: string, to: string): Promise<void> {
    return copyObject(this.#bucket, from, to)
  }

  delete(key: string): Promise<void> {
    return this.#bucket.delete(key)
  }

  /** A bucket has no size. A store that is full refuses what would be stored. */
  async hasSpace(): Promise<boolean> {
    return true
  }

  async probe(): Promise<void> {
    await this.put(probeKey, Buffer.from('.'))
  }

  /** Nothing at a start: uploads of other processes may go on. */
  async removeAbandoned(): Promise<void> {}

  /** Why the service cannot use the bucket; undefined if it can. It does once what the service does all the time. */
  async problem(): Promise<{ reason: string; isRefusal: boolean } | undefined> {
    try {
      await this.probe()
      if (String(await this.read(probeKey)) !== '.')
        return { reason: 'it does not return what was stored', isRefusal: true }
      await this.delete(probeKey)
      // Without the right to list, a store denies access to a missing object instead of saying that it is missing.
      await this.size(missingKey)
      await removeAbandonedUploads(this.#bucket)
      return undefined
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      return { reason: error.message, isRefusal: isRefusal(error) }
    }
  }
}
