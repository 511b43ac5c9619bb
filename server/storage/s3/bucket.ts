import { addAbortSignal, type Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { SharedSlots, type SlotBounds } from '../../fairness/shared-slots.ts'
import { objectKey } from '../object-key.ts'
import { StorageUnavailable } from '../unavailable.ts'
import { call, isInvalidRange, isNoSuchKey, isNotFound } from './s3-call.ts'

/** Properties of an object that identify its bytes. */
export interface Head {
  byteSize: number
  etag: string
  stamp: string
  metadata: Record<string, string> | undefined
}

/** The name of our stamp in the metadata of an object: random for each `put`, and the same in copies. */
export const stampName = 'sandbox-stamp'

/** Of one process, by company: 16 MiB each. */
export const largeUploadSlots: SlotBounds = { all: 32, each: 8, assuredEach: 1 }

/** The reads of a whole answer, when one is cut. */
const readTries = 3

/** The objects of the service in a bucket. */
export class Bucket {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  /** Of uploads that hold parts in memory. */
  readonly largeUploads = new SharedSlots(largeUploadSlots)

  /** `prefix` is empty, or a path with a slash at its end. */
  constructor(client: S3Client, name: string, prefix: string) {
    this.client = client
    this.name = name
    this.prefix = prefix
  }

  /** Names the object in a request. */
  at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: `${this.prefix}${objectKey(key)}` }
  }

  /** Names the object as the source of a copy. Keys have no character to escape. */
  sourceOf(key: string): string {
    return `${this.name}/${this.prefix}${objectKey(key)}`
  }

  /** Undefined when there is no such object. */
  async head(key: string): Promise<Head | undefined> {
    const input = this.at(key)
    try {
      const found = await call(`head ${key}`, (abortSignal) =>
        this.client.send(new HeadObjectCommand(input), { abortSignal }),
      )
      return headOf(key, found, found.ContentLength ?? 0)
    } catch (error) {
      if (!isNotFound(error)) throw error
      // A store that has lost the bucket must not look like one without the object.
      const first = await this.#read(key, { Range: 'bytes=0-0' })
      if (first !== undefined) throw new StorageUnavailable(`head ${key}`, 'the object appeared meanwhile')
      return undefined
    }
  }

  /** The first `maxBytes` of an object; undefined when there is none. */
  async first(key: string, maxBytes: number): Promise<Buffer | undefined> {
    const range = Number.isFinite(maxBytes) ? { Range: `bytes=0-${Math.max(maxBytes, 1) - 1}` } : {}
    return (await this.#read(key, range))?.bytes.subarray(0, maxBytes)
  }

  /** The bytes from `start` up to `end` of the object that `head` describes. Throws `StorageUnavailable` if it is another one by now. */
  async piece(key: string, head: Head, { start, end }: { start: number; end: number }): Promise<Buffer> {
    const found = await this.#read(key, { Range: `bytes=${start}-${end - 1}`, IfMatch: head.etag })
    if (found?.stamp !== head.stamp || found.bytes.length !== end - start)
      throw new StorageUnavailable(`get ${key}`, 'the object was replaced or deleted while it was read')
    return found.bytes
  }

  async delete(key: string): Promise<void> {
    const input = this.at(key)
    await call(`delete ${key}`, (abortSignal) =>
      this.client.send(new DeleteObjectCommand(input), { abortSignal }),
    ).catch((error: unknown) => {
      if (!isNoSuchKey(error)) throw error
    })
  }

  /** The bytes and the stamp; undefined when there is no such object. */
  async #read(key: string, range: { Range?: string; IfMatch?: string }) {
    const input = { ...this.at(key), ...range }
    try {
      return await call(`get ${key}`, (abortSignal) => this.#wholeAnswer(key, input, abortSignal))
    } catch (error) {
      if (isNoSuchKey(error)) return undefined
      if (isInvalidRange(error)) return { bytes: Buffer.alloc(0), stamp: undefined }
      throw error
    }
  }

  /** Again when the answer is cut: the client of the store repeats only requests without an answer. */
  async #wholeAnswer(key: string, input: GetObjectCommandInput, abortSignal: AbortSignal) {
    for (let left = readTries - 1; ; left -= 1) {
      const found = await this.client.send(new GetObjectCommand(input), { abortSignal })
      try {
        return { bytes: await bytesOf(found, abortSignal), stamp: headOf(key, found, sizeOf(found)).stamp }
      } catch (error) {
        if (left === 0) throw error
      }
    }
  }
}

interface Described {
  ETag?: string | undefined
  LastModified?: Date | undefined
  Metadata?: Record<string, string> | undefined
}

function headOf(key: string, { ETag = '', LastModified, Metadata }: Described, byteSize: number): Head {
  const own = Metadata?.[stampName]
  // An object that another program copied here. The ETag is an MD5, of which a tenant can make two objects of one size.
  const stamp = own ?? [key, ETag, LastModified?.getTime()].join(' ')
  return { byteSize, etag: ETag, stamp: `${stamp} ${byteSize}`, metadata: Metadata }
}

/** Of the whole object, whatever part of it is in the answer. */
function sizeOf({ ContentRange, ContentLength = 0 }: GetObjectCommandOutput): number {
  const [, whole] = /\/(\d+)$/.exec(ContentRange ?? '') ?? []
  return whole === undefined ? ContentLength : Number(whole)
}

async function bytesOf({ Body, ContentLength }: GetObjectCommandOutput, abortSignal: AbortSignal) {
  const chunks: Buffer[] = []
  for await (const chunk of addAbortSignal(abortSignal, Body as Readable)) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  if (bytes.length !== ContentLength)
    throw new Error(`the answer has ${bytes.length} of ${ContentLength} bytes`)
  return bytes
}
