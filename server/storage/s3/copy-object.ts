import { CopyObjectCommand } from '@aws-sdk/client-s3'
import { ObjectMissing } from '../port.ts'
import { type Bucket, stampName } from './bucket.ts'
import { openedObject } from './opened-object.ts'
import { call, copyMs, isNoSuchKey } from './s3-call.ts'
import { upload } from './upload.ts'

/** A store copies no more by one request. */
const wholeMaxBytes = 5 * 1024 ** 3

/**
 * Stores the object under another key as well, with its stamp. The store copies it if it can: one that says so and copies nothing
 * would lose what is moved, so the copy is looked at. Throws `ObjectMissing`.
 */
export async function copyObject(bucket: Bucket, from: string, to: string): Promise<void> {
  const head = await bucket.head(from)
  if (!head) throw new ObjectMissing(from)
  const stamp = head.metadata?.[stampName]
  if (stamp !== undefined && head.byteSize <= wholeMaxBytes) {
    await copyWhole(bucket, from, to)
    if ((await bucket.head(to))?.stamp === head.stamp) return
  }
  const object = openedObject(bucket, from, head)
  await upload(bucket, to, object.read(0, head.byteSize), { ...(stamp !== undefined && { stamp }) })
}

async function copyWhole(bucket: Bucket, from: string, to: string): Promise<void> {
  const input = { ...bucket.at(to), CopySource: bucket.sourceOf(from) }
  await call(
    `copy ${from}`,
    (abortSignal) =>
      bucket.client.send(new CopyObjectCommand(input), { abortSignal, requestTimeout: copyMs }),
    copyMs,
  ).catch((error: unknown) => {
    throw isNoSuchKey(error) ? new ObjectMissing(from) : error
  })
}
