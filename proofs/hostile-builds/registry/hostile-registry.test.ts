import { randomBytes } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { PullBench, type PullOptions } from '../../../testing/registry/pull-bench.ts'
import {
  blob,
  type RegistryContent,
  routesOf,
  type TestImage,
  testImage,
  testIndex,
  types,
} from '../../../testing/registry/registry-fixture.ts'

/* A registry that lies, stalls or redirects to private addresses fails the build that uses it, and nothing else. */

const { db } = await createTestDatabase()
let bench: PullBench
let companyId: string

beforeAll(async () => {
  bench = await PullBench.start(db, ['10.9.9.9', '169.254.169.254'])
  companyId = (await makeTenant(db)).companyId
})
afterAll(() => bench.dispose())

type Change = Parameters<typeof testImage>[1]

const newImage = (change?: Change): TestImage =>
  testImage([{ name: 'hello', content: randomBytes(8).toString('hex') }], change)

/** The routes of `app:1` in an honest registry. */
const honest = (image: TestImage, manifest = image.manifest) =>
  routesOf('mirror/app', { '1': manifest }, [image])

const ofImage = (change: Change) => () => honest(newImage(change))
const ofConfig = (config: object) => ofImage({ config: { config } })

/** The routes of an honest image with one route replaced. */
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

const small: PullOptions = { limits: { workspaceBytes: 64 * MiB } }
const hasty: PullOptions = { limits: { timeoutMs: 4000 } }

test.each<[string, () => RegistryContent['routes'], string, PullOptions?]>([
  ['has nothing by that name', () => ({}), 'dockerfile_exit base_name_unknown'],
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
    'has an image for another processor than declared',
    ofImage({ config: { architecture: 'arm64' } }),
    'policy_reject base_platform_missing',
  ],
  [
    'sends other bytes for a layer',
    changed('layer', { body: btoa('other') }),
    'dockerfile_exit base_image_unavailable',
  ],
  [
    'has a layer with other content than the image declares',
    ofImage({ config: { rootfs: { type: 'layers', diff_ids: [`sha256:${'0'.repeat(64)}`] } } }),
    'policy_reject base_digest_mismatch',
  ],
  [
    'has a layer that is not compressed as declared',
    ofImage({ layer: blob(types.layer, randomBytes(64)) }),
    'policy_reject base_image_malformed',
  ],
  ['has a layer in zstd', ofImage({ layer: zstdLayer }), 'policy_reject base_layer_unsupported'],
  ['has a foreign layer', ofImage({ layer: foreignLayer }), 'policy_reject base_layer_unsupported'],
  [
    'has a layer with a URL',
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
  ['has an image with an invalid user', ofConfig({ User: '$(id)' }), 'policy_reject base_user_invalid'],
  [
    'has an image with a volume path with ..',
    ofConfig({ Volumes: { '/a/../../etc': {} } }),
    'policy_reject base_volume_invalid',
  ],
  [
    'has an image with a volume at a platform mount',
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
    'stalls',
    changed('manifest', { pace: 'silent', type: types.manifest }),
    'build_timeout base_image_timeout',
    hasty,
  ],
  ['stalls in a layer', changed('layer', { pace: 'silent' }), 'build_timeout base_image_timeout', hasty],
  [
    'redirects a layer to a cloud metadata service',
    changed('layer', to('http://169.254.169.254/latest')),
    'policy_reject base_registry_address',
  ],
  [
    'redirects a layer to a private address',
    changed('layer', to('https://10.9.9.9/x')),
    'policy_reject base_registry_address',
  ],
  [
    'redirects a layer to a name with a private address',
    changed('layer', to('https://inner.0a090909.test/x')),
    'policy_reject base_registry_address',
  ],
  [
    'redirects a manifest to the machine itself',
    changed('manifest', to('https://203.0.114.2/x')),
    'policy_reject base_registry_address',
  ],
  [
    'redirects a login to a cloud metadata service',
    () => {
      const challenge = 'Bearer realm="http://169.254.169.254/token",service="x"'
      const paths = ['/v2/', '/v2/mirror/app/manifests/1']
      return Object.fromEntries(paths.map((path) => [path, { status: 401, challenge }]))
    },
    'policy_reject base_registry_address',
  ],
  [
    'sends a login to a private address over HTTPS',
    () => {
      const challenge = 'Bearer realm="https://10.9.9.9/token",service="x"'
      const paths = ['/v2/', '/v2/mirror/app/manifests/1']
      return Object.fromEntries(paths.map((path) => [path, { status: 401, challenge }]))
    },
    'policy_reject base_registry_address',
  ],
  [
    'limits its rate without end',
    changed('manifest', { status: 429, headers: { 'retry-after': '999999999999' } }),
    'dockerfile_exit base_rate_limited',
  ],
  [
    'redirects in a loop',
    changed('manifest', to('/v2/mirror/app/manifests/1')),
    'dockerfile_exit base_image_unavailable',
  ],
])('a registry that %s ends the build with its slug', async (_what, routes, failure, wish = {}) => {
  await bench.registry.replace(routes())
  const outcome = await bench.build(['FROM app:1', 'COPY Dockerfile /d'], { companyId, ...wish })
  expect(outcome.failure, outcome.log).toBe(failure)
  expect(outcome.log).toMatch(/^base image app:1 .*\)\n$/)
})

test('a pinned digest is verified, whatever the registry sends', async () => {
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

test('a registry without a trusted certificate is refused', async () => {
  await bench.registry.replace(honest(newImage()))
  const registries = { registryCaFile: undefined }
  const { failure } = await bench.build(['FROM app:1', 'COPY Dockerfile /d'], { companyId, registries })
  expect(failure).toBe('dockerfile_exit base_registry_unreachable')
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
