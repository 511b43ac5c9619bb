import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { bucketConfig } from '../../../testing/bucket/bucket-config.ts'
import { bucketName, type Fault, TestBucket } from '../../../testing/bucket/test-bucket.ts'
import { onBehalfOf } from '../../base/current-request.ts'
import { storageConformance } from '../conformance.ts'
import { Downloads } from '../downloads/downloads.ts'
import { isStorageUnavailable } from '../unavailable.ts'
import { largeUploadSlots } from './bucket.ts'
import { S3Storage } from './s3-storage.ts'
import { partBytes } from './upload.ts'

const [bucket, stopped] = [await TestBucket.start(), await TestBucket.start()]
const config = bucketConfig(bucketName, bucket.url)
storageConformance('a bucket', async () => new S3Storage(config))

describe('a store that fails', () => {
  /** Of each test: a client that had to repeat many requests repeats no more for a while. */
  let storage: S3Storage
  const large = randomBytes(2 * partBytes + 5)
  const nameOf = (key: string) => `jobs/test/${key}`
  const isUnavailable = (work: Promise<unknown>) =>
    work.then(
      () => false,
      (error: unknown) => isStorageUnavailable(error),
    )
  beforeEach(() => {
    bucket.reset()
    storage = new S3Storage(config)
  })

  it.each<Fault>(['unavailable', 'slow_down', 'lost'])('is unavailable in every call: %s', async (fault) => {
    await storage.put('there', Buffer.from('x'))
    const object = await storage.opened('there')
    bucket.fault = () => fault
    const calls = [
      storage.put('new', Buffer.from('x')),
      storage.put('large', Readable.from([large])),
      storage.putAll([{ key: 'new', bytes: Buffer.from('x') }]),
      storage.get('there'),
      storage.opened('there'),
      storage.read('there'),
      storage.size('there'),
      storage.copy('there', 'else'),
      storage.move('there', 'else'),
      storage.delete('there'),
      storage.probe(),
      Array.fromAsync(object.read(0, 1)),
    ]
    expect(await Promise.all(calls.map(isUnavailable))).toEqual(calls.map(() => true))
  })

  it('is used again when it refuses once', async () => {
    let refusals = 0
    bucket.fault = () => {
      refusals += 1
      return refusals % 2 === 1 ? 'unavailable' : undefined
    }
    await storage.put('key', Readable.from([large]))
    expect((await storage.read('key'))?.equals(large)).toBe(true)
  })

  it('gets a second request for bytes that were cut, and is unavailable when they always are', async () => {
    await storage.put('key', large.subarray(0, 1000))
    bucket.failing(/^GET/, 'cut', 1)
    expect((await storage.read('key'))?.equals(large.subarray(0, 1000))).toBe(true)
    bucket.failing(/^GET/, 'cut')
    expect(await isUnavailable(storage.read('key'))).toBe(true)
    expect(await isUnavailable((await storage.get('key')).toArray())).toBe(true)
  })

  it('that refuses connections is unavailable, and so is one without the bucket', async () => {
    const { url } = stopped
    await stopped.stop()
    expect(await isUnavailable(new S3Storage({ ...config, s3Endpoint: url }).size('key'))).toBe(true)
    const other = new S3Storage({ ...config, s3Bucket: 'missing' })
    for (const call of [other.size('key'), other.get('key'), other.opened('key'), other.copy('key', 'to')])
      expect(await isUnavailable(call)).toBe(true)
  })

  it('leaves nothing of a large object that it did not complete', async () => {
    const partsBefore = (request: string) => bucket.requests.filter((one) => one === request).length - 1
    bucket.fault = (request) =>
      request.startsWith('PUT') && partsBefore(request) > 0 ? 'unavailable' : undefined
    expect(await isUnavailable(storage.put('cut', Readable.from([large])))).toBe(true)
    expect([await storage.size('cut'), bucket.stored.uploads.size]).toEqual([undefined, 0])
  })

  it('may store a large object without an answer', async () => {
    let answers = 0
    bucket.fault = (request) => {
      // The fifth request completes the upload: one started it, three sent its parts.
      answers += 1
      return answers === 5 && request.startsWith('POST') ? 'lost' : undefined
    }
    await storage.put('lost', Readable.from([large]))
    bucket.fault = () => undefined
    expect((await storage.read('lost'))?.equals(large)).toBe(true)
  })

  it('may store an object after the service has given up, which changes nothing but that it is there', async () => {
    bucket.failing(/late/, 'late')
    expect(await isUnavailable(storage.put('late', Buffer.from('bytes')))).toBe(true)
    bucket.fault = () => undefined
    await storage.put('late', Buffer.from('bytes'))
    const object = await storage.opened('late')
    await bucket.finishLate()
    expect(String(await storage.read('late'))).toBe('bytes')
    expect(await isUnavailable(Array.fromAsync(object.read(0, 5)))).toBe(true)
  })

  it('never returns bytes of a replaced or deleted object to its earlier reader', async () => {
    await storage.put('key', Buffer.from('first'))
    const [replaced, deleted] = [await storage.opened('key'), await storage.opened('key')]
    // Two objects of one size and one ETag, which a store that ignores conditions cannot distinguish.
    await storage.put('key', Buffer.from('other'))
    expect(await isUnavailable(Array.fromAsync(replaced.read(0, 5)))).toBe(true)
    await storage.delete('key')
    expect(await isUnavailable(Array.fromAsync(deleted.read(0, 5)))).toBe(true)
    expect(replaced.stamp).not.toBe((await reopened()).stamp)

    async function reopened() {
      await storage.put('key', Buffer.from('first'))
      return storage.opened('key')
    }
  })

  it('confirms a copy that it has not made: the service copies the object itself', async () => {
    await storage.put('from', Readable.from([large]))
    const { stamp } = await storage.opened('from')
    bucket.failing(/^PUT .*to$/, 'no_copy')
    await storage.move('from', 'to')
    const moved = await storage.opened('to')
    expect(Buffer.concat(await Array.fromAsync(moved.read(0, large.length))).equals(large)).toBe(true)
    expect([moved.stamp, await storage.size('from')]).toEqual([stamp, undefined])
  })

  it('sends other bytes, which the digest reveals before any is sent on', async () => {
    const { digest } = await storage.put('key', Buffer.from('bytes'))
    const part = { key: 'key', start: 0, byteSize: 5, digest, name: 'a' }
    const who = { companyId: 'com_a', linkId: 'usr_a' }
    const open = () => new Downloads(storage).open(part, who, { signal: new AbortController().signal })
    expect(String(Buffer.concat(await (await open()).body.toArray()))).toBe('bytes')
    bucket.failing(/^GET/, 'wrong_bytes')
    await expect(open()).rejects.toMatchObject({ code: 'storage_unavailable' })
  })

  it('is named with its words: what it refuses, or that it does not answer', async () => {
    expect(await storage.problem()).toBeUndefined()
    expect(await new S3Storage({ ...config, s3Bucket: 'missing' }).problem()).toEqual({
      reason: 'put probe: 404 NoSuchBucket: as a test says',
      isRefusal: true,
    })
    bucket.fault = () => 'unavailable'
    expect(await storage.problem()).toMatchObject({ isRefusal: false })
    const s3CredentialsFile = '/nonexistent/credentials'
    expect(await new S3Storage({ ...config, s3CredentialsFile }).problem()).toMatchObject({ isRefusal: true })
  })

  it('holds the parts of so many large uploads of a company and no more, while small ones and others go on', async () => {
    const more = Promise.withResolvers<void>()
    async function* slow() {
      yield Buffer.alloc(1024 ** 2 + 1)
      await more.promise
    }
    const put = (company: string, key: string, body: Readable | Buffer) =>
      onBehalfOf(company, () => storage.put(key, body))
    const puts = Array.from({ length: largeUploadSlots.each }, (_, at) =>
      put('a', `slow/${at}`, Readable.from(slow())),
    )
    await setImmediate()
    expect(await isUnavailable(put('a', 'large', Readable.from([large])))).toBe(true)
    await put('a', 'small', Buffer.from('x'))
    await put('b', 'other', Readable.from([large]))
    more.resolve()
    await Promise.all(puts)
    await put('a', 'large', Readable.from([large]))
  })

  it('has no uploads that nobody has continued for a day', async () => {
    const [old, fresh] = [bucket.stored.begin(nameOf('old'), {}), bucket.stored.begin(nameOf('fresh'), {})]
    const found = bucket.stored.uploads.get(old)
    if (found) found.initiatedAt = new Date(Date.now() - 25 * 3600 * 1000)
    const [sweep] = storage.sweeps
    expect(await sweep?.remove()).toBe(1)
    expect([...bucket.stored.uploads.keys()]).toEqual([fresh])
  })
})
