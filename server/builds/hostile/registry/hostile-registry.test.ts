import { randomBytes } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { createTestDatabase } from '../../../testing/test-database.ts'
import { tar } from '../../archive/archive-fixtures.ts'
import { PullBench, type PullWish } from './pull-bench.ts'
import {
  blob,
  type RegistryContent,
  routesOf,
  type TestImage,
  testImage,
  testIndex,
  types,
} from './registry-fixture.ts'

/* A registry that lies, stalls or leads inside costs the build that asked it, and nothing else. */

vi.setConfig({ testTimeout: 120_000 })
const { db } = await createTestDatabase()
let bench: PullBench
let companyId: string

beforeAll(async () => {
  bench = await PullBench.start(db, ['10.9.9.9', '169.254.169.254'])
  companyId = (await makeTenant(db)).companyId
}, 120_000)
afterAll(() => bench.dispose(), 120_000)

type Change = Parameters<typeof testImage>[1]

const newImage = (change?: Change): TestImage =>
  testImage([{ name: 'hello', content: randomBytes(8).toString('hex') }], change)

/** The routes of `app:1`, as an honest registry would have it. */
const honest = (image: TestImage, manifest = image.manifest) =>
  routesOf('mirror/app', { '1': manifest }, [image])

const ofImage = (change: Change) => () => honest(newImage(change))
const ofConfig = (config: object) => ofImage({ config: { config } })

/** An honest image of which one route is another. */
function changed(
  part: 'manifest' | 'layer',
  route: RegistryContent['routes'][string],
): () => RegistryContent['routes'] {
  return () => {
    const image = newImage()
    const routes = honest(image)
    const paths = {
      manifest: ['manifests/1', `manifests/${image.manifest.digest}`],
      layer: [`blobs/${image.blobs[1]?.digest}`],
    }
    for (const path of paths[part]) routes[`/v2/mirror/app/${path}`] = route
    return routes
  }
}

const MiB = 1024 ** 2
const to = (location: string) => ({ status: 307, location })
const foreignLayer = blob('application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', randomBytes(64))
const zstdLayer = blob('application/vnd.oci.image.layer.v1.tar+zstd', zstdCompressSync(tar({ name: 'a' })))
const schema1 = {
  schemaVersion: 1,
  name: 'app',
  tag: '1',
  architecture: 'amd64',
  fsLayers: [],
  history: [],
  signatures: [],
}

const small: PullWish = { limits: { workspaceBytes: 64 * MiB } }
const hasty: PullWish = { limits: { timeoutMs: 4000 } }

test.each<[string, () => RegistryContent['routes'], string, PullWish?]>([
  ['has nothing by that name', () => ({}), 'dockerfile_exit base_image_unavailable'],
  [
    'answers with no manifest',
    changed('manifest', { body: btoa('hello') }),
    'policy_reject base_image_malformed',
  ],
  [
    'has a manifest of schema 1',
    changed('manifest', {
      type: 'application/vnd.docker.distribution.manifest.v1+json',
      body: btoa(JSON.stringify(schema1)),
    }),
    'policy_reject base_manifest_unsupported',
  ],
  [
    'has the image for another processor only',
    () => {
      const image = newImage()
      return honest(image, testIndex([{ image, architecture: 'arm64' }]))
    },
    'policy_reject base_platform_missing',
  ],
  [
    'has an image of another processor than it says',
    ofImage({ config: { architecture: 'arm64' } }),
    'policy_reject base_platform_missing',
  ],
  [
    'gives other bytes for a layer',
    changed('layer', { body: btoa('other') }),
    'dockerfile_exit base_image_unavailable',
  ],
  [
    'has a layer of other content than the image says',
    ofImage({ config: { rootfs: { type: 'layers', diff_ids: [`sha256:${'0'.repeat(64)}`] } } }),
    'policy_reject base_digest_mismatch',
  ],
  [
    'has a layer that is not compressed as it says',
    ofImage({ layer: blob(types.layer, randomBytes(64)) }),
    'policy_reject base_image_malformed',
  ],
  ['has a layer in zstd', ofImage({ layer: zstdLayer }), 'policy_reject base_layer_unsupported'],
  [
    'has a layer that lies elsewhere',
    ofImage({ layer: foreignLayer }),
    'policy_reject base_layer_unsupported',
  ],
  [
    'has a layer with an address',
    () => {
      const image = newImage()
      const [config, layer] = image.blobs
      const urls = ['https://169.254.169.254/layer']
      return honest(
        newImage({
          manifest: {
            config: { mediaType: types.config, digest: config?.digest, size: config?.bytes.length },
            layers: [{ mediaType: types.layer, digest: layer?.digest, size: layer?.bytes.length, urls }],
          },
        }),
      )
    },
    'policy_reject base_layer_unsupported',
  ],
  ['has an image with ONBUILD', ofConfig({ OnBuild: ['RUN id'] }), 'policy_reject onbuild_forbidden'],
  ['has an image of a strange user', ofConfig({ User: '$(id)' }), 'policy_reject base_user_invalid'],
  [
    'has an image with a volume that leaves',
    ofConfig({ Volumes: { '/a/../../etc': {} } }),
    'policy_reject base_volume_invalid',
  ],
  [
    'has an image with a volume of the platform',
    ofConfig({ Volumes: { '/workspace': {} } }),
    'policy_reject base_volume_invalid',
  ],
  [
    'sends a manifest without end',
    changed('manifest', { pace: 'endless', type: types.manifest }),
    'dockerfile_exit base_image_unavailable',
  ],
  [
    'sends a layer without end',
    changed('layer', { pace: 'endless' }),
    'policy_reject base_image_too_large',
    small,
  ],
  [
    'falls silent',
    changed('manifest', { pace: 'silent', type: types.manifest }),
    'build_timeout base_image_timeout',
    hasty,
  ],
  [
    'falls silent in a layer',
    changed('layer', { pace: 'silent' }),
    'build_timeout base_image_timeout',
    hasty,
  ],
  [
    'leads a layer to a service of the cloud',
    changed('layer', to('http://169.254.169.254/latest')),
    'policy_reject base_registry_address',
  ],
  [
    'leads a layer to an inner address',
    changed('layer', to('https://10.9.9.9/x')),
    'policy_reject base_registry_address',
  ],
  [
    'leads a layer to a name with an inner address',
    changed('layer', to('https://inner.0a090909.test/x')),
    'policy_reject base_registry_address',
  ],
  [
    'leads a manifest to the machine itself',
    changed('manifest', to('https://203.0.114.2/x')),
    'policy_reject base_registry_address',
  ],
  [
    'leads a login to a service of the cloud',
    () => ({
      '/v2/': {
        status: 401,
        challenge: 'Bearer realm="http://169.254.169.254/token",service="x"',
      },
    }),
    'policy_reject base_registry_address',
  ],
  [
    'leads round in a circle',
    changed('manifest', to('/v2/mirror/app/manifests/1')),
    'dockerfile_exit base_image_unavailable',
  ],
])('a registry that %s ends the build with its slug', async (_what, routes, failure, wish = {}) => {
  await bench.registry.replace(routes())
  const outcome = await bench.build(['FROM app:1', 'COPY Dockerfile /d'], { companyId, ...wish })
  expect(outcome.failure, outcome.log).toBe(failure)
  expect(outcome.log).toMatch(/^base image app:1 .*\)\n$/)
})

test('a digest that is pinned is held to, whatever the registry gives', async () => {
  const [wanted, other] = [newImage(), newImage()]
  const routes = honest(other)
  routes[`/v2/mirror/app/manifests/${wanted.manifest.digest}`] = {
    type: types.manifest,
    body: other.manifest.bytes.toString('base64'),
  }
  await bench.registry.replace(routes)
  const { failure } = await bench.build([`FROM app@${wanted.manifest.digest}`, 'COPY Dockerfile /d'], {
    companyId,
  })
  expect(failure).toMatch(/base_digest_mismatch|base_image_unavailable/)
})

test('a registry that nobody vouches for is not believed', async () => {
  await bench.registry.replace(honest(newImage()))
  const registries = { registryCaFile: undefined }
  const { failure } = await bench.build(['FROM app:1', 'COPY Dockerfile /d'], { companyId, registries })
  expect(failure).toBe('dockerfile_exit base_image_unavailable')
})

test('other builds go on while a registry stalls', async () => {
  await bench.registry.replace(changed('manifest', { pace: 'silent', type: types.manifest })())
  const stalled = bench.build(['FROM app:1', 'COPY Dockerfile /d'], {
    companyId,
    limits: { timeoutMs: 15_000 },
  })
  const { failure, log } = await bench.build(['FROM scratch', 'COPY Dockerfile /d'], { companyId })
  expect(failure, log).toBe('')
  expect((await stalled).failure).toBe('build_timeout base_image_timeout')
})
