import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { ExecutorUnavailable } from '../../agent/port/errors.ts'
import { inputOf, type StartInput } from '../../agent/port/start-input.ts'
import { newId } from '../../server/base/ids.ts'
import { clusterJob } from '../../testing/kubernetes/cluster-job.ts'
import { CollectorClient } from '../../testing/kubernetes/collector-client.ts'
import { FakeCluster, type TokenClaims } from '../../testing/kubernetes/fake-cluster.ts'
import { FakePod } from '../../testing/kubernetes/fake-pod.ts'
import { MemoryRecords } from '../../testing/kubernetes/memory-records.ts'
import { MemoryResults, startWorker } from '../../testing/kubernetes/worker-with-gateway.ts'
import type { KubernetesObject } from '../api/objects.ts'
import { lostExit } from '../records/pod-exit.ts'
import { GatewayAuthority, gatewayName, newAuthorityKey } from './authority.ts'

let cluster: FakeCluster
let records: MemoryRecords
let store: MemoryResults
let worker: Awaited<ReturnType<typeof startWorker>>
const open: { close(): void }[] = []

beforeAll(async () => {
  cluster = FakeCluster.start()
})
beforeEach(async () => {
  records = new MemoryRecords()
  store = new MemoryResults()
  cluster.onCreated = () => {}
  worker = await startWorker({ cluster, records, store })
})
afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  await worker.stop()
})

/** A start that waits for its pod, and the pod. */
async function startOf(input: StartInput = inputOf(Buffer.from('input'))) {
  const spec = clusterJob(newId('run'))
  const created = new Promise<KubernetesObject>((resolve) => {
    cluster.onCreated = resolve
  })
  const started = worker.executor.start(spec, input)
  started.catch(() => {})
  const object = await created
  const pod = new FakePod(cluster, object)
  open.push(pod.client)
  return { spec, started, object, pod }
}

const redeemWith = async (pod: FakePod, bearer: string) =>
  pod.client.ask('POST', `${pod.path}/redeem`, {
    bearer,
    body: Buffer.from(JSON.stringify({ credential: pod.credential })),
  })

test.each<[string, TokenClaims, number, string]>([
  ['another namespace', { namespace: 'other' }, 403, 'other_pod'],
  ['another account', { account: 'default' }, 403, 'other_pod'],
  ['another pod', { name: 'run-other' }, 403, 'other_pod'],
  ['another pod of the same name', { uid: 'another-uid' }, 403, 'other_pod'],
  ['an API server as its audience', { audience: 'https://kubernetes' }, 401, 'token_invalid'],
  ['a time that is over', { expiresAt: new Date(0) }, 401, 'token_invalid'],
])('a token of %s redeems nothing', async (_what, claims, status, error) => {
  const { spec, object, pod } = await startOf()
  await vi.waitFor(() => expect(worker.sessions.find(spec.id)?.podUid).toBeDefined())
  expect(await redeemWith(pod, cluster.token(object, claims))).toEqual({ status, body: { error } })
  expect((await records.find(spec.id))?.state).toBe('placed')
})

test('a token that another cluster signed redeems nothing', async () => {
  const { object, pod } = await startOf()
  const other = FakeCluster.start()
  for (const bearer of [other.token(object), 'no.token.atall', ''])
    expect(await redeemWith(pod, bearer)).toMatchObject({ status: 401, body: { error: 'token_invalid' } })
})

test('one process redeems, as often as its answers are lost, and gets the input once', async () => {
  const { spec, started, pod } = await startOf()
  const answers = [await pod.redeem(), await pod.redeem()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const again = new FakePod(cluster, cluster.pods.get(pod.path.split('/').at(-1) ?? '') as KubernetesObject)
  open.push(again.client)
  expect(await again.redeem()).toEqual({ status: 409, body: { error: 'already_started' } })
  expect(await again.input()).toBe('credential_invalid')
  expect(await pod.input()).toMatchObject({
    argv: spec.argv,
    env: ['NAME=value'],
    timeoutMs: 20_000,
    input: Buffer.from('input'),
  })
  expect(await pod.input()).toBe('input_taken')
  await pod.ask('POST', 'started')
  await started
})

test('a program that runs has not started before its input was sent', async () => {
  const bytes = new PassThrough()
  bytes.write('first')
  const { started, pod } = await startOf(inputOf(bytes))
  const isOver = vi.fn<() => void>()
  void started.then(isOver)
  await pod.redeem()
  const input = pod.input()
  await pod.ask('POST', 'started')
  await pod.ask('GET', 'control?stop=1&follow=1')
  expect(isOver).not.toHaveBeenCalled()
  bytes.end(' and last')
  expect(await input).toMatchObject({ input: Buffer.from('first and last') })
  await started
})

test('a pod whose id is forbidden meanwhile starts nothing', async () => {
  const { spec, started, pod } = await startOf()
  expect(await worker.executor.forbid(spec.id)).toBe(true)
  expect(await pod.redeem()).toEqual({ status: 409, body: { error: 'forbidden' } })
  await expect(started).rejects.toMatchObject({ slug: 'forbidden' })
})

test('what has changed since the start was asked for ends it when the pod asks', async () => {
  const gone = Object.assign(new Error('a share has ended'), { slug: 'share_grant_revoked' })
  const { spec, started, pod } = await startOf({ open: () => Promise.reject(gone) })
  expect(await pod.redeem()).toEqual({ status: 409, body: { error: 'share_grant_revoked' } })
  await expect(started).rejects.toBe(gone)
  expect(await worker.executor.forbid(spec.id)).toBe(true)
})

test('values that cannot be masked are refused before anything starts', async () => {
  const { started, pod } = await startOf(inputOf(Buffer.alloc(0), { masked: ['abc'] }))
  expect(await pod.redeem()).toMatchObject({ status: 409, body: { error: 'withdrawn' } })
  await expect(started).rejects.toMatchObject({ slug: 'mask_too_short' })
})

test.each(['network_rules', 'host_users'])('a pod that is not confined is refused as %s', async (slug) => {
  const { started, object, pod } = await startOf()
  const bearer = cluster.token(object)
  const body = Buffer.from(JSON.stringify({ slug }))
  expect(await pod.client.ask('POST', `${pod.path}/refused`, { bearer, body })).toMatchObject({ status: 200 })
  await expect(started).rejects.toMatchObject({ slug })
})

test('a worker that does not wait for a start asks its pod to come again', async () => {
  const { pod, started } = await startOf()
  worker.sessions.close()
  await expect(started).rejects.toBeInstanceOf(ExecutorUnavailable)
  expect(await pod.redeem()).toEqual({ status: 503, body: { error: 'unavailable' } })
})

test('an input whose worker ended is gone', async () => {
  const { spec, pod } = await startOf()
  await pod.redeem()
  worker.sessions.end(spec.id)
  expect(await pod.input()).toBe('input_gone')
})

test('a credential is of no use for another sandbox, after its end, or as a token', async () => {
  const [one, other] = [await startOf(), await startOf()]
  for (const { pod } of [one, other]) await pod.redeem()
  const foreign = await one.pod.client.ask('GET', `${other.pod.path}/control?stop=1&follow=1`, {
    bearer: one.pod.credential,
  })
  expect(foreign).toEqual({ status: 401, body: { error: 'credential_invalid' } })
  expect((await redeemWith(one.pod, one.pod.credential)).status).toBe(401)
  const exit = lostExit(one.spec, 'own', new Date(0))
  expect((await one.pod.exit(exit)).status).toBe(200)
  expect((await one.pod.exit(exit)).status).toBe(200)
  expect(await one.pod.exit({ ...exit, exitCode: 1 })).toEqual({ status: 409, body: { error: 'ended' } })
  expect(await one.pod.ask('PUT', 'files/0', Buffer.from('x'))).toEqual({
    status: 409,
    body: { error: 'ended' },
  })
  expect(store.objects.size).toBe(0)
})

test('orders are answered when they change', async () => {
  const { spec, pod } = await startOf()
  await pod.redeem()
  await pod.input()
  await pod.ask('POST', 'started')
  const asked = pod.ask('GET', 'control?stop=0&follow=0')
  await worker.executor.terminate(spec.id)
  expect(await asked).toEqual({ status: 200, body: { stop: 1, follow: 0, from: 0 } })
  const again = pod.ask('GET', 'control?stop=1&follow=0')
  const read = worker.executor.logSince(spec.id, 0, 5000)
  expect(await again).toEqual({ status: 200, body: { stop: 1, follow: 1, from: 0 } })
  await pod.ask('PUT', 'log?from=0', Buffer.from('a line'))
  expect(await read).toEqual({ start: 0, bytes: Buffer.from('a line') })
})

test('results are bounded by the specification, and nothing else is stored', async () => {
  const { pod } = await startOf()
  await pod.redeem()
  const sent: [string, number][] = [
    ['files/0', 100],
    ['files/0', 101],
    ['files/1', 1],
    ['log', 4097],
    ['tree', 1001],
    ['log?from=0', 256 * 1024 + 1],
  ]
  const statuses: number[] = []
  for (const [word, bytes] of sent) statuses.push((await pod.ask('PUT', word, Buffer.alloc(bytes))).status)
  expect(statuses).toEqual([200, 413, 404, 413, 413, 413])
  expect([...store.objects.keys()]).toEqual([`sandboxes/${pod.id}/file-0`])
})

test('a store that is away is asked again', async () => {
  const { pod } = await startOf()
  await pod.redeem()
  store.isAway = true
  expect(await pod.ask('PUT', 'log', Buffer.from('x'))).toEqual({
    status: 503,
    body: { error: 'unavailable' },
  })
  store.isAway = false
  expect((await pod.ask('PUT', 'log', Buffer.from('x'))).status).toBe(200)
})

test.each([
  ['no JSON', '{'],
  ['a cause that there is not', { cause: 'won' }],
  ['a code that is no status', { exitCode: 999 }],
  ['a time without a text', { endedAtMs: 9e15 }],
  ['a slug that is a sentence', { detail: 'No such thing!' }],
  ['more files than were asked for', { files: [] }],
])('an exit record with %s is none', async (_what, change) => {
  const { spec, pod } = await startOf()
  await pod.redeem()
  const record = JSON.stringify({ ...lostExit(spec, '', new Date(0)), ...(change as object) })
  const body = Buffer.from(typeof change === 'string' ? change : record)
  expect((await pod.ask('POST', 'exit', body)).status).toBe(400)
  expect((await records.find(spec.id))?.state).toBe('redeemed')
})

test.each([
  ['GET', '/runner/v1/%72un/control', 404],
  ['GET', '/runner/v1/run/%63ontrol', 404],
  ['GET', '/runner/v1/../v1/run/control', 404],
  ['GET', '/runner/v1//control', 404],
  ['GET', '/runner/v1/run/toString', 404],
  ['GET', '/runner/v1/run/files/0', 404],
  ['PUT', '/runner/v1/run/files/00', 404],
  ['PUT', '/runner/v1/run/files', 404],
  ['POST', '/', 404],
  ['GET', '/runner/v1/run/control?stop=0&stop=1', 400],
  ['GET', '/runner/v1/run/control?other=0', 400],
  ['GET', '/runner/v1/run/control?stop=-1', 400],
  ['GET', '/runner/v1/run/input?from=0', 400],
])('%s %s is answered %d', async (method, path, status) => {
  const { pod } = await startOf()
  const answer = await pod.client.ask(method, path, { bearer: pod.credential })
  expect(answer.status).toBe(status)
})

/** A connection on which a test writes what it wants. */
async function rawConnection(): Promise<TLSSocket> {
  const { port } = worker.gateway
  const socket = connect({ host: '127.0.0.1', port, servername: gatewayName, rejectUnauthorized: false })
  socket.on('error', () => {})
  open.push({ close: () => socket.destroy() })
  await once(socket, 'secureConnect')
  return socket
}

const head = (pod: FakePod, word: string, ...more: string[]) =>
  [
    `POST ${pod.path}/${word} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${pod.credential}`,
    ...more,
    '',
    '',
  ].join('\r\n')

test('requests that do not wait for their answers end the connection', async () => {
  const { pod } = await startOf()
  await pod.redeem()
  const socket = await rawConnection()
  socket.write(head(pod, 'started', 'content-length: 0').repeat(2))
  expect(await text(socket)).toBe('')
})

test.each([
  ['chunks', ['transfer-encoding: chunked'], '0\r\n\r\n', '400'],
  ['chunks beside a length', ['content-length: 5', 'transfer-encoding: chunked'], '0\r\n\r\n', ''],
  ['no length', [], '', '411'],
  ['two lengths', ['content-length: 1', 'content-length: 2'], '', ''],
  ['an expectation', ['content-length: 1', 'expect: 100-continue'], '', '400'],
  ['a head that is too long', [`x: ${'y'.repeat(9000)}`], '', ''],
])('a request with %s is refused', async (_what, headers, body, status) => {
  const { pod } = await startOf()
  await pod.redeem()
  const socket = await rawConnection()
  socket.write(head(pod, 'started', ...headers) + body)
  expect(/^(?:HTTP\/1\.1 100.*\r\n\r\n)?HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1] ?? '').toBe(status)
})

test('a body that ends too soon is not stored', async () => {
  const { pod } = await startOf()
  await pod.redeem()
  const socket = await rawConnection()
  socket.end(`${head(pod, 'log', 'content-length: 50').replace('POST', 'PUT')}too little`)
  await text(socket)
  expect(store.objects.size).toBe(0)
})

test('a client has four connections', async () => {
  const connections: Socket[] = []
  for (let number = 0; number < 4; number += 1) connections.push(await rawConnection())
  const fifth = connectPlain(worker.gateway.port, '127.0.0.1')
  open.push({ close: () => fifth.destroy() })
  fifth.on('error', () => {})
  expect(await text(fifth)).toBe('')
  connections[0]?.destroy()
  await vi.waitFor(rawConnection)
})

test('a gateway of another authority gets no token', async () => {
  const other = new GatewayAuthority(newAuthorityKey()).certificate
  const client = new CollectorClient({ address: '127.0.0.1', port: worker.gateway.port }, other)
  open.push(client)
  await expect(client.ask('GET', '/')).rejects.toThrow('signature')
})
