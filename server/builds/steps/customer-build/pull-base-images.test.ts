import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { PullBench, registryHost } from '../../../../testing/registry/pull-bench.ts'
import {
  routesOf,
  type TestImage,
  testImage,
  testIndex,
  types,
} from '../../../../testing/registry/registry-fixture.ts'
import { systemClock } from '../../../base/clock.ts'
import { createLog } from '../../../base/logging.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'
import { listKeptKinds, readStorageUsage } from '../../../companies/storage/kept-bytes-store.ts'
import { pulledImageKey } from '../../bases/pulled-image-store.ts'
import { sweepPulledImages } from '../../retention.ts'

/* Builds on images from a registry, over the real egress path, with the real builder. */

const { db } = await createTestDatabase()
let bench: PullBench
let companyId: string

beforeAll(async () => {
  bench = await PullBench.start(db, [])
})
afterAll(() => bench.dispose())
beforeEach(async () => {
  companyId = (await makeTenant(db)).companyId
  bench.registry.requests.length = 0
})

/** A unique image. */
const newImage = (change?: Parameters<typeof testImage>[1]): TestImage =>
  testImage([{ name: 'hello', content: randomBytes(8).toString('hex') }], change)

const fetched = () => bench.registry.requests.filter((line) => line.includes('/blobs/')).length

test('a name without a host uses the operator’s registry, and both digests are attested', async () => {
  const image = newImage()
  const other = newImage({ config: { architecture: 'arm64' } })
  const index = testIndex([
    { image: other, architecture: 'arm64' },
    { image, architecture: 'amd64' },
  ])
  await bench.registry.serve(routesOf('mirror/team/app', { '1.0': index }, [image]))
  const { failure, log, outputs } = await bench.build(['FROM team/app:1.0', 'COPY Dockerfile /d'], {
    companyId,
  })
  expect(failure, log).toBe('')
  expect(outputs.baseImages).toEqual([{ name: 'team/app:1.0', digest: image.manifest.digest }])
  expect(outputs.pulled).toMatchObject([{ index: { digest: index.digest } }])
  expect(outputs.imageConfig?.env).toContain('FROM_REGISTRY=yes')
})

test('every way to name an image works', async () => {
  const image = newImage()
  const index = testIndex([{ image, architecture: 'amd64' }])
  await bench.registry.serve(routesOf('mirror/app', { latest: index, '2': image.manifest }, [image]))
  const names = [
    'app',
    'app:2',
    `app@${index.digest}`,
    `app:gone@${image.manifest.digest}`,
    `${registryHost}/mirror/app`,
    `${registryHost}/mirror/app:2@${index.digest}`,
  ]
  const stages = names.map((name, at) => `FROM ${name} AS stage${at}`)
  const copies = names.map((_name, at) => `COPY --from=stage${at} /hello /hello${at}`)
  const { failure, log, outputs } = await bench.build([...stages, 'FROM scratch', ...copies], { companyId })
  expect(failure, log).toBe('')
  expect(outputs.baseImages).toEqual(names.map((name) => ({ name, digest: image.manifest.digest })))
  expect(fetched()).toBe(2)
})

test('an image in Docker’s format works', async () => {
  const plain = newImage()
  const manifest = JSON.parse(plain.manifest.bytes.toString()) as { config: object; layers: object[] }
  const image = newImage({
    manifest: {
      mediaType: types.dockerManifest,
      config: { ...manifest.config, mediaType: types.dockerConfig },
      layers: manifest.layers.map((layer) => ({ ...layer, mediaType: types.dockerLayer })),
    },
  })
  const docker = { manifest: { ...image.manifest, mediaType: types.dockerManifest }, blobs: plain.blobs }
  await bench.registry.serve(routesOf('mirror/other', { '1': docker.manifest }, [docker]))
  const { failure, log } = await bench.build(['FROM other:1', 'COPY Dockerfile /d'], { companyId })
  expect(failure, log).toBe('')
})

test('a tag is resolved each time; its image is fetched once, and again when the tag changes', async () => {
  const [first, second] = [newImage(), newImage()]
  const build = () => bench.build(['FROM moving', 'COPY Dockerfile /d'], { companyId })
  await bench.registry.serve(routesOf('mirror/moving', { latest: first.manifest }, [first]))
  await build()
  expect((await build()).outputs.baseImages?.[0]?.digest).toBe(first.manifest.digest)
  expect(fetched()).toBe(2)
  await bench.registry.serve(routesOf('mirror/moving', { latest: second.manifest }, [second]))
  expect((await build()).outputs.baseImages?.[0]?.digest).toBe(second.manifest.digest)
  expect(fetched()).toBe(4)
})

test('a public image is fetched once for all companies; an image with a login is for one company', async () => {
  const [open, closed] = [newImage(), newImage()]
  const other = (await makeTenant(db)).companyId
  await bench.registry.serve(routesOf('mirror/open', { latest: open.manifest }, [open]))
  await bench.build(['FROM open', 'COPY Dockerfile /d'], { companyId })
  await bench.build(['FROM open', 'COPY Dockerfile /d'], { companyId: other })
  expect(fetched()).toBe(2)

  const login = 'puller:open sesame'
  const registryLoginFile = join(bench.folder, 'login')
  await writeFile(registryLoginFile, `${login}\n`)
  await bench.registry.serve(routesOf('mirror/closed', { latest: closed.manifest }, [closed]), login)
  const build = (by: string, registries = {}) =>
    bench.build(['FROM closed', 'COPY Dockerfile /d'], { companyId: by, registries })
  expect(await build(companyId)).toMatchObject({ failure: 'dockerfile_exit base_login_required' })
  for (const by of [companyId, companyId, other]) {
    const { failure, log } = await build(by, { registryLoginFile })
    expect(failure, log).toBe('')
  }
  expect(fetched()).toBe(2 + 4)
  await bench.registry.serve({})
})

test('a stored image that is damaged is fetched again', async () => {
  const image = newImage()
  await bench.registry.serve(routesOf('mirror/damaged', { latest: image.manifest }, [image]))
  const build = () => bench.build(['FROM damaged', 'COPY Dockerfile /d'], { companyId })
  const { outputs } = await build()
  const stored = outputs.pulled?.[0]?.image
  if (!stored) throw new Error('nothing was pulled')
  await writeFile(join(bench.folder, 'objects', pulledImageKey(stored)), Buffer.alloc(stored.byteSize))
  expect((await build()).failure).toBe('')
  expect(fetched()).toBe(4)
})

test('an image that no build has used for thirty days is removed', async () => {
  const image = newImage()
  await bench.registry.serve(routesOf('mirror/old', { latest: image.manifest }, [image]))
  const { outputs } = await bench.build(['FROM old', 'COPY Dockerfile /d'], { companyId })
  const stored = outputs.pulled?.[0]?.image
  if (!stored) throw new Error('nothing was pulled')
  const days = (count: number) => ({ now: () => new Date(systemClock.now().getTime() + count * 86_400_000) })
  const sweep = (count: number) =>
    sweepPulledImages({ db, storage: bench.storage, clock: days(count), log: createLog('test', 'silent') })
  await sweep(29)
  expect(await bench.storage.size(pulledImageKey(stored))).toBe(stored.byteSize)
  await sweep(31)
  expect(await bench.storage.size(pulledImageKey(stored))).toBeUndefined()
})

test('an image that the quota of the company has no room for is not kept', async () => {
  const image = newImage()
  await bench.registry.serve(routesOf('mirror/large', { latest: image.manifest }, [image]))
  const { keptBytes } = await readStorageUsage(db, companyId)
  await setOperatorPolicy({ db, deployment: 'onprem' }, companyId, { kept_bytes_limit: keptBytes + 1000 })
  const { failure, log } = await bench.build(['FROM large', 'COPY Dockerfile /d'], { companyId })
  expect(failure).toBe('build_disk_full storage_quota_exceeded')
  expect(log).toContain('base image large cannot be kept')
  const kinds = Object.fromEntries(
    (await listKeptKinds(db, companyId)).map(({ kind, bytes }) => [kind, bytes]),
  )
  expect(kinds).toMatchObject({ build_logs: Buffer.byteLength(log) })
  expect(kinds).not.toHaveProperty('base_images')
})

test('no pull begins once those of the build have taken half an hour', async () => {
  let ms = 0
  const clock = {
    now: () => {
      ms += 31 * 60_000
      return new Date(ms)
    },
  }
  const { failure, log } = await bench.build(['FROM late', 'COPY Dockerfile /d'], { companyId, clock })
  expect(failure).toBe('build_timeout base_image_timeout')
  expect(log).toContain('base image late was not pulled in time')
  expect(bench.registry.requests).toEqual([])
})

test.each([
  {
    why: 'its name has no host and the operator allows no registry for such names',
    name: 'team/app',
    registries: { registry: 'none' },
    failure: 'dockerfile_exit base_image_unavailable',
    logged: 'SANDBOX_REGISTRY)',
  },
  {
    why: 'it is in another registry',
    name: 'other.test/app',
    registries: {},
    failure: 'policy_reject base_registry_forbidden',
    logged: 'SANDBOX_PUBLIC_REGISTRIES',
  },
  {
    why: 'the operator did not make it',
    name: 'curated/python:3.12',
    registries: {},
    failure: 'dockerfile_exit base_image_unavailable',
    logged: 'not on this deployment. This deployment has curated/python:3.11',
  },
  {
    why: 'the certificate authority of the registry is missing',
    name: 'team/app',
    registries: { registryCaFile: '/nowhere' },
    failure: 'identity_config registry_files_unreadable',
    logged: 'SANDBOX_REGISTRY_CA_FILE',
  },
])('an image is not pulled if $why', async ({ name, registries, failure, logged }) => {
  const outcome = await bench.build([`FROM ${name}`, 'COPY Dockerfile /d'], { companyId, registries })
  expect(outcome.failure).toBe(failure)
  expect(outcome.log).toContain(logged)
  expect(bench.registry.requests).toEqual([])
})
