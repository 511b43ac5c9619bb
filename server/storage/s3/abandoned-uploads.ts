import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3'
import { dayMs, systemClock } from '../../base/clock.ts'
import type { Bucket } from './bucket.ts'
import { call } from './s3-call.ts'

/** An upload in parts lasts as long as its sender sends, which is bounded to less. */
const abandonedMs = dayMs

/** Frees the parts that killed processes left. Returns the number of uploads. */
export async function removeAbandonedUploads(bucket: Bucket): Promise<number> {
  const before = systemClock.now().getTime() - abandonedMs
  let removed = 0
  for (let page = await uploadsAfter(bucket, {}); ; page = await uploadsAfter(bucket, page)) {
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated.getTime() > before) continue
      const input = { Bucket: bucket.name, Key, UploadId }
      await call('abort upload', (abortSignal) =>
        bucket.client.send(new AbortMultipartUploadCommand(input), { abortSignal }),
      )
      removed += 1
    }
    if (!page.IsTruncated) return removed
  }
}

function uploadsAfter(
  { client, name, prefix }: Bucket,
  {
    NextKeyMarker: KeyMarker,
    NextUploadIdMarker: UploadIdMarker,
  }: Partial<ListMultipartUploadsCommandOutput>,
): Promise<ListMultipartUploadsCommandOutput> {
  const input = { Bucket: name, Prefix: prefix, KeyMarker, UploadIdMarker }
  return call('list uploads', (abortSignal) =>
    client.send(new ListMultipartUploadsCommand(input), { abortSignal }),
  )
}
