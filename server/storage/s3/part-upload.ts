import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { type Bucket, stampName } from './bucket.ts'
import { call, copyMs, isNoSuchUpload } from './s3-call.ts'

export const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('base64')

/** An upload of an object in parts, one after the other. It exists at the store from its first part on. */
export class PartUpload {
  readonly #bucket: Bucket
  readonly #key: string
  readonly #stamp: string
  readonly #parts: CompletedPart[] = []
  #id: string | undefined

  constructor(bucket: Bucket, key: string, stamp: string) {
    this.#bucket = bucket
    this.#key = key
    this.#stamp = stamp
  }

  get isStarted(): boolean {
    return this.#id !== undefined
  }

  async send(bytes: Buffer): Promise<void> {
    const part = await this.#nextPart()
    const input = { ...part, Body: bytes, ContentMD5: md5Of(bytes) }
    const { ETag } = await call(`upload ${this.#key}`, (abortSignal) =>
      this.#bucket.client.send(new UploadPartCommand(input), { abortSignal }),
    )
    this.#parts.push({ ETag, PartNumber: part.PartNumber })
  }

  /** Makes the object of the parts appear. */
  async complete(): Promise<void> {
    const input = { ...this.#upload(), MultipartUpload: { Parts: this.#parts } }
    await call(
      `complete ${this.#key}`,
      (abortSignal) =>
        this.#bucket.client.send(new CompleteMultipartUploadCommand(input), {
          abortSignal,
          requestTimeout: copyMs,
        }),
      copyMs,
    ).catch(async (error: unknown) => {
      // A repeated request finds no upload if the first one succeeded and its answer was lost.
      const head = isNoSuchUpload(error) ? await this.#bucket.head(this.#key) : undefined
      if (head?.metadata?.[stampName] !== this.#stamp) throw error
    })
  }

  /** Frees the parts. Where this fails, the sweep does. */
  async abort(): Promise<void> {
    if (!this.isStarted) return
    await call(`abort ${this.#key}`, (abortSignal) =>
      this.#bucket.client.send(new AbortMultipartUploadCommand(this.#upload()), { abortSignal }),
    ).catch(() => undefined)
  }

  #upload() {
    return { ...this.#bucket.at(this.#key), UploadId: this.#id }
  }

  async #nextPart() {
    const input = { ...this.#bucket.at(this.#key), Metadata: { [stampName]: this.#stamp } }
    this.#id ??= await call(`upload ${this.#key}`, async (abortSignal) => {
      const { UploadId } = await this.#bucket.client.send(new CreateMultipartUploadCommand(input), {
        abortSignal,
      })
      if (UploadId === undefined) throw new Error('the store gave no upload id')
      return UploadId
    })
    return { ...this.#upload(), PartNumber: this.#parts.length + 1 }
  }
}
