import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { PullBench } from '../../../testing/registry/pull-bench.ts'
import {
  type RegistryRoute,
  routesOf,
  type TestImage,
  testImage,
  testIndex,
} from '../../../testing/registry/registry-fixture.ts'
import { apiHost, publicHub } from '../../images/registries.ts'

/* Names without a host, with no setting of the operator: the public hub under its own names, on the tests' own internet. */

const { db } = await createTestDatabase()
const authority = `auth.${publicHub}`
const delivery = `delivery.${publicHub}`
const bearer = {
  token: 'anonymous-token',
  challenge: `Bearer realm="https://${authority}/token",service="registry.test"`,
}
let bench: PullBench
let companyId: string

beforeAll(async () => {
  const publicNames = { [apiHost(publicHub)]: '9.9.9.20', [authority]: '9.9.9.21', [delivery]: '9.9.9.22' }
  bench = await PullBench.start(db, [], { publicNames })
  companyId = (await makeTenant(db)).companyId
})
afterAll(() => bench?.dispose())

const registries = {
  registry: undefined,
  registryCaFile: undefined,
  publicRegistries: true,
}

const build = (name: string) => bench.build([`FROM ${name}`, 'COPY Dockerfile /d'], { companyId, registries })

const newImage = (change?: Parameters<typeof testImage>[1]): TestImage =>
  testImage([{ name: 'hello', content: randomBytes(8).toString('hex') }], change)

const tokenPath = (repository: string) => `/token?service=registry.test&scope=repository:${repository}:pull`
/** skopeo escapes the scope. */
const escapedTokenPath = (repository: string) =>
  `/token?scope=${encodeURIComponent(`repository:${repository}:pull`)}&service=registry.test`

/** The routes of a hub that has an image for two architectures, and sends blobs from another host. */
function hubRoutes(repository: string, tag: string, image: TestImage): Record<string, RegistryRoute> {
  const other = newImage({ config: { architecture: 'arm64' } })
  const index = testIndex([
    { image: other, architecture: 'arm64' },
    { image, architecture: 'amd64' },
  ])
  const routes: Record<string, RegistryRoute> = routesOf(repository, { [tag]: index }, [image])
  for (const { digest, bytes } of image.blobs) {
    routes[`/v2/${repository}/blobs/${digest}`] = { status: 307, location: `https://${delivery}/${digest}` }
    routes[`/${digest}`] = { body: bytes.toString('base64') }
  }
  const token = { type: 'application/json', body: btoa(JSON.stringify({ token: bearer.token })) }
  return { ...routes, [tokenPath(repository)]: token, [escapedTokenPath(repository)]: token }
}

test.each([
  ['python:3.12-slim', 'library/python', '3.12-slim'],
  ['node:22', 'library/node', '22'],
  ['debian', 'library/debian', 'latest'],
  ['team/app', 'team/app', 'latest'],
  [`${publicHub}/golang:1`, 'library/golang', '1'],
])('FROM %s needs no setting', async (name, repository, tag) => {
  const image = newImage()
  await bench.registry.replace(hubRoutes(repository, tag, image), { bearer })
  const { failure, log, outputs } = await build(name)
  expect(failure, log).toBe('')
  expect(outputs.baseImages).toEqual([{ name, digest: image.manifest.digest }])
})

const anonymous = (repository: string) => ({
  [tokenPath(repository)]: { body: btoa(JSON.stringify({ token: bearer.token })) },
})
const error = (code: string) => ({ body: btoa(JSON.stringify({ errors: [{ code }] })) })

test.each<[string, string, { routes: Record<string, RegistryRoute>; detail: string; logged: RegExp }]>([
  [
    'the name is unknown',
    'nothing',
    { routes: {}, detail: 'base_name_unknown', logged: /has no image of that name/ },
  ],
  [
    'the name of an owner wants a login or is unknown',
    'team/nothing',
    { routes: {}, detail: 'base_login_required', logged: /requires a login/ },
  ],
  [
    'the tag is unknown',
    'python:none',
    {
      routes: {
        ...anonymous('library/python'),
        '/v2/library/python/manifests/none': { status: 404, ...error('MANIFEST_UNKNOWN') },
      },
      detail: 'base_tag_unknown',
      logged: /has no such tag/,
    },
  ],
  [
    'pulls are limited',
    'python:3',
    {
      routes: {
        ...anonymous('library/python'),
        '/v2/library/python/manifests/3': { status: 429, headers: { 'retry-after': '77' } },
      },
      detail: 'base_rate_limited',
      logged: /Try again in 77 seconds/,
    },
  ],
  [
    'no pulls remain',
    'python:3',
    {
      routes: {
        ...anonymous('library/python'),
        '/v2/library/python/manifests/3': { headers: { 'ratelimit-remaining': '0;w=21600' } },
      },
      detail: 'base_rate_limited',
      logged: /Try again in 21600 seconds/,
    },
  ],
  [
    'tokens are limited',
    'python:3',
    {
      routes: { [tokenPath('library/python')]: { status: 429, headers: { 'retry-after': '5' } } },
      detail: 'base_rate_limited',
      logged: /Try again in 5 seconds/,
    },
  ],
  [
    'the host has no address',
    'gone.test/app',
    { routes: {}, detail: 'base_registry_unreachable', logged: /cannot be reached/ },
  ],
])('a failed pull reports that %s', async (_what, name, { routes, detail, logged }) => {
  const denied = { status: 401, challenge: bearer.challenge }
  await bench.registry.replace(
    { [tokenPath('library/nothing')]: denied, [tokenPath('team/nothing')]: denied, ...routes },
    { bearer },
  )
  const { failure, log } = await build(name)
  expect(failure, log).toBe(`dockerfile_exit ${detail}`)
  expect(log).toMatch(logged)
})

test('a registry that no pull may use is not contacted', async () => {
  bench.registry.requests.length = 0
  const closed = { ...registries, publicRegistries: false }
  const outcome = await bench.build(['FROM python', 'COPY Dockerfile /d'], { companyId, registries: closed })
  expect(outcome.failure).toBe('policy_reject base_registry_forbidden')
  expect(bench.registry.requests).toEqual([])
})
