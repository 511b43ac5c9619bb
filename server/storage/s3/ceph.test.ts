import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { bucketConfig } from '../../../testing/bucket/bucket-config.ts'
import { startCeph } from '../../../testing/bucket/ceph.ts'
import { storageConformance } from '../conformance.ts'
import { S3Storage } from './s3-storage.ts'

/* The storage against a real store: Ceph, which verifies signatures. */

const config = await startCeph()
const { s3CredentialsFile } = bucketConfig('objects', '', 'key:other')
storageConformance('a bucket of Ceph', async () => new S3Storage(config))

it('is usable as it is, and not with other credentials or another bucket', async () => {
  expect(await new S3Storage(config).problem()).toBeUndefined()
  const wrong = await new S3Storage({ ...config, s3CredentialsFile }).problem()
  expect(wrong).toMatchObject({ isRefusal: true, reason: expect.stringContaining('SignatureDoesNotMatch') })
  const missing = await new S3Storage({ ...config, s3Bucket: 'missing' }).problem()
  expect(missing).toMatchObject({ isRefusal: true, reason: expect.stringContaining('NoSuchBucket') })
})

it('stores, reads and copies an object of several parts', async () => {
  const storage = new S3Storage(config)
  const bytes = randomBytes(20 * 1024 ** 2 + 3)
  await storage.put('parts', Readable.from([bytes]))
  await storage.copy('parts', 'copied')
  const found = await storage.get('copied')
  expect(Buffer.concat(await found.toArray()).equals(bytes)).toBe(true)
  const [first, second] = [await storage.opened('parts'), await storage.opened('copied')]
  expect(second.stamp).toBe(first.stamp)
})
