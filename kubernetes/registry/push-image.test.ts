import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256Of } from '../../server/base/sha256.ts'
import { ImageRegistry, type RegistryFault } from '../../testing/kubernetes/image-registry.ts'
import { type PushedImage, pushImage } from './push-image.ts'
import { RegistryFailed, RegistrySession } from './registry-session.ts'

let registry: ImageRegistry

beforeEach(async () => {
  registry = await ImageRegistry.start()
})
afterEach(() => registry.stop())

const blob = (bytes: Buffer) => ({
  digest: sha256Of(bytes),
  byteSize: bytes.length,
  open: () => Readable.from([bytes]),
})
const layer = Buffer.alloc(300_000, 'layer')
const bytes = Buffer.from('{"schemaVersion":2}')
const image: PushedImage = {
  manifest: { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: sha256Of(bytes), bytes },
  blobs: [blob(Buffer.from('{}')), blob(layer)],
  tag: 'v-1',
}
const session = (login?: { user: string; password: string }) =>
  new RegistrySession({ url: registry.url, repository: 'images', ...(login && { login }) })
const uploads = () => registry.requests.filter((request) => request.startsWith('PUT /v2/images/blobs/'))

test('an image is there by its digest, its blobs as they were', async () => {
  await pushImage(session(), image)
  expect(registry.manifests.get(image.manifest.digest)).toEqual(bytes)
  expect(registry.manifests.get('v-1')).toEqual(bytes)
  expect(registry.blobs.get(sha256Of(layer))).toEqual(layer)
})

test('blobs that are there are not sent again', async () => {
  registry.blobs.set(sha256Of(layer), layer)
  await pushImage(session(), image)
  expect(uploads()).toHaveLength(1)
  await pushImage(session(), image)
  expect(uploads()).toHaveLength(1)
})

test('a reader of blobs follows the registry to where it keeps them', async () => {
  registry.fault = 'keeps blobs elsewhere'
  await pushImage(session(), image)
  await pushImage(session(), image)
  expect(uploads()).toHaveLength(2)
})

test('a token is asked for once, with the login', async () => {
  registry.token = { value: 'secret', login: 'user:password' }
  await pushImage(session({ user: 'user', password: 'password' }), image)
  expect(registry.requests.filter((request) => request === 'GET /token')).toHaveLength(1)
  expect(registry.blobs.size).toBe(2)
})

test('a wrong login is refused', async () => {
  registry.token = { value: 'secret', login: 'user:password' }
  await expect(pushImage(session({ user: 'user', password: 'other' }), image)).rejects.toMatchObject({
    status: 401,
  })
})

test.each<[RegistryFault, RegExp]>([
  ['cut upload', /does not answer/],
  ['elsewhere', /another address/],
  ['forgets a blob', /does not have a blob/],
  ['other manifest', /does not have the manifest/],
  ['refuses the manifest', /the manifest with 400/],
])('a registry with the fault "%s" has no image', async (fault, message) => {
  registry.fault = fault
  const failure = await pushImage(session(), image).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(RegistryFailed)
  expect((failure as Error).message).toMatch(message)
  registry.fault = undefined
  await pushImage(session(), image)
})

test('a login is not sent to another address without TLS', async () => {
  registry.token = { value: 'secret', login: 'user:password' }
  registry.fault = 'token for a stranger'
  await expect(pushImage(session({ user: 'user', password: 'password' }), image)).rejects.toThrow(
    'may get a login',
  )
})

test('bytes of another digest are refused', async () => {
  const wrong = { ...blob(layer), open: () => Readable.from([Buffer.alloc(layer.length, 'other')]) }
  await expect(pushImage(session(), { ...image, blobs: [wrong] })).rejects.toMatchObject({ status: 400 })
})

test('a body that breaks is no answer', async () => {
  const broken = { ...blob(layer), open: () => Readable.from(failing()) }
  await expect(pushImage(session(), { ...image, blobs: [broken] })).rejects.toThrow(RegistryFailed)
})

async function* failing(): AsyncGenerator<Buffer, void> {
  yield layer.subarray(0, 1000)
  throw new Error('the store is away')
}
