import { createHash } from 'node:crypto'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { currentDatabaseUse } from '../../base/current-request.ts'
import { newUuid } from '../../base/ids.ts'
import { ObjectTooLarge, type StoredObject } from '../port.ts'
import { StorageUnavailable } from '../unavailable.ts'
import { type Bucket, stampName } from './bucket.ts'
import { md5Of, PartUpload } from './part-upload.ts'
import { call } from './s3-call.ts'

/** Of every part but the last: some stores require parts of one size. */
export const partBytes = 8 * 1024 ** 2

/** An upload of more holds parts in memory, however slowly its sender sends, and needs one of the slots. A smaller one needs none. */
const smallBytes = 1024 ** 2

/** Stores the bytes: up to one part by one request, more in parts. Nothing appears of a stream that breaks off or is too large. */
export async function upload(
  bucket: Bucket,
  key: string,
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  { maxBytes = Number.POSITIVE_INFINITY, stamp = newUuid() }: { maxBytes?: number; stamp?: string },
): Promise<StoredObject> {
  const parts = new PartUpload(bucket, key, stamp)
  const hash = createHash('sha256')
  const owner = currentDatabaseUse()?.owner ?? 'service'
  let byteSize = 0
  let release: (() => void) | undefined
  try {
    let last = Buffer.alloc(0)
    for await (const part of inParts(measured())) {
      // Sent when more follows: an object of one part needs no upload in parts.
      if (last.length > 0) await parts.send(last)
      last = part
    }
    if (parts.isStarted) {
      await parts.send(last)
      await parts.complete()
    } else await putWhole(bucket, key, last, stamp)
    return { byteSize, digest: `sha256:${hash.digest('hex')}` }
  } catch (error) {
    await parts.abort()
    throw error
  } finally {
    release?.()
  }

  async function* measured(): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      byteSize += chunk.length
      if (byteSize > maxBytes) throw new ObjectTooLarge(maxBytes)
      if (byteSize > smallBytes) release ??= slot()
      hash.update(chunk)
      yield chunk
    }
  }

  function slot(): () => void {
    const taken = bucket.largeUploads.take(owner)
    if (!taken) throw new StorageUnavailable(`upload ${key}`, 'too many large uploads at once')
    return taken
  }
}

/** The same bytes in pieces of `partBytes`, and a last one. */
async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer<ArrayBuffer>> {
  let gathered: Buffer[] = []
  let room = partBytes
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.subarray(at, at + room)
      gathered.push(taken)
      at += taken.length
      room -= taken.length
      if (room > 0) continue
      yield Buffer.concat(gathered)
      gathered = []
      room = partBytes
    }
  }
  if (gathered.length > 0) yield Buffer.concat(gathered)
}

async function putWhole(bucket: Bucket, key: string, bytes: Buffer, stamp: string): Promise<void> {
  const input = {
    ...bucket.at(key),
    Metadata: { [stampName]: stamp },
    Body: bytes,
    ContentMD5: md5Of(bytes),
  }
  await call(`put ${key}`, (abortSignal) => bucket.client.send(new PutObjectCommand(input), { abortSignal }))
}
