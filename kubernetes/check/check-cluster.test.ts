import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Answer,
  answered,
  FaultyApiServer,
  refused,
} from '../../testing/kubernetes/faulty-api-server.ts'
import { KubernetesClient } from '../api/client.ts'
import { checkCluster } from './check-cluster.ts'

let server: FaultyApiServer
let client: KubernetesClient

beforeAll(async () => {
  server = await FaultyApiServer.start()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.reset()
  client = new KubernetesClient(server.access)
})
afterEach(() => client.close())

const cluster = {
  namespace: 'runs',
  collectorImage: `registry.example.org/probe@sha256:${'a'.repeat(64)}`,
  boundary: { kind: 'user_namespace' },
  // No address of this machine, so a check that listens fails.
  gateway: { address: '192.0.2.1', port: 7443, authority: '' },
  canaryPort: 7444,
} as const

const version = answered({ gitVersion: 'v1.33.1' })
/** Answers reviews of rights by their verb and resource. */
const reviewed =
  (isAllowed: (right: string) => boolean): Answer =>
  (response, request) => {
    const { verb, resource } = (
      JSON.parse(request.body) as { spec: { resourceAttributes: Record<string, string> } }
    ).spec.resourceAttributes
    answered({ status: { allowed: isAllowed(`${verb} ${resource}`) } }, 201)(response, request)
  }
const reviews = (isAllowed: (right: string) => boolean) => Array<Answer>(9).fill(reviewed(isAllowed))

const missing = async () =>
  (await checkCluster(client, cluster)).flatMap(({ ok, slug, found }) => (ok ? [] : [[slug, found]]))

test('a server that is away, or another one, is no cluster', async () => {
  server.answers.push(refused(503, 'ServiceUnavailable'))
  expect(await missing()).toEqual([['api_server', 'the API server answers 503']])
})

test('credentials of nobody are named', async () => {
  server.answers.push(refused(401, 'Unauthorized'))
  expect(await missing()).toEqual([['credentials', '401 Unauthorized: it is Unauthorized']])
})

test('no pod starts while the account lacks a right', async () => {
  server.answers.push(version, ...reviews((right) => right !== 'delete pods' && right.endsWith(' pods')))
  expect(await missing()).toEqual([
    ['rights', 'the account may not: delete pods'],
    ['surplus_rights', 'the account may also: create pods/exec'],
  ])
  expect(server.requests.filter(({ path }) => path.endsWith('/pods'))).toEqual([])
})

test('pods of former checks are deleted when they have ended, those of others stay', async () => {
  const pod = (name: string, status: object) => ({
    metadata: { name, uid: name, resourceVersion: '1' },
    status,
  })
  const terminated = { state: { terminated: { exitCode: 0 } } }
  const containerStatuses = ['job', 'collector'].map((name) => ({ name, ...terminated }))
  server.answers.push(version, ...reviews((right) => right.endsWith(' pods')))
  const items = [pod('ended', { containerStatuses }), pod('goes-on', {})]
  server.answers.push(answered({ metadata: { resourceVersion: '1' }, items }), answered({}))
  await expect(checkCluster(client, cluster)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' })
  expect(server.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/runs/pods/ended',
  ])
})
