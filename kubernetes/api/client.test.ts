import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeCertificate } from '../../testing/certificate.ts'
import {
  answered,
  cutAnswer,
  FaultyApiServer,
  objectNamed,
  refused,
} from '../../testing/kubernetes/faulty-api-server.ts'
import { KubernetesClient } from './client.ts'
import { KubernetesRefused, KubernetesUnavailable } from './failures.ts'

const pods = '/api/v1/namespaces/runs/pods'
let server: FaultyApiServer
let client: KubernetesClient

beforeAll(async () => {
  server = await FaultyApiServer.start()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.reset()
  client = new KubernetesClient({ ...server.access, timeoutMs: 60_000, pageSize: 2 })
})
afterEach(() => client.close())

const page = (names: string[], next?: string) =>
  answered({
    metadata: { resourceVersion: '7', ...(next !== undefined && { continue: next }) },
    items: names.map((name) => objectNamed(name)),
  })

test('a list is read in pages', async () => {
  server.answers.push(page(['a', 'b'], 'more'), page(['c']))
  const { items, resourceVersion } = await client.list(pods, { labelSelector: 'kind=run' })
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c'])
  expect(resourceVersion).toBe('7')
  expect(server.requests.map(({ query }) => query)).toEqual([
    { labelSelector: 'kind=run', limit: '2' },
    { labelSelector: 'kind=run', limit: '2', continue: 'more' },
  ])
})

test('a list whose later pages are gone begins again', async () => {
  server.answers.push(page(['a'], 'more'), refused(410, 'Expired'), page(['b']))
  const { items } = await client.list(pods)
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['b'])
})

test('an empty list of the value null is a list', async () => {
  server.answers.push(answered({ metadata: { resourceVersion: '1' }, items: null }))
  expect(await client.list(pods)).toEqual({ items: [], resourceVersion: '1' })
})

test('a request has the token of the moment', async () => {
  server.answers.push(answered({ gitVersion: 'v1' }), answered({ gitVersion: 'v1' }))
  await client.read('/version')
  writeFileSync(join(server.access.folder, 'token'), 'a-later-token')
  await client.read('/version')
  expect(server.requests.map(({ authorization }) => authorization)).toEqual([
    'Bearer a-token',
    'Bearer a-later-token',
  ])
})

test('a name never becomes another path', async () => {
  server.answers.push(answered(objectNamed('x')))
  await client.get(pods, '../../secrets/key?x')
  expect(server.requests[0]?.path).toBe(`${pods}/..%2F..%2Fsecrets%2Fkey%3Fx`)
})

test('a second object of a name is refused as one that exists', async () => {
  server.answers.push(refused(409, 'AlreadyExists'))
  const failure = await client.create(pods, { kind: 'Pod' }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(KubernetesRefused)
  expect(failure).toMatchObject({ status: 409, reason: 'AlreadyExists' })
})

test('a delete names the uid, and has a length', async () => {
  server.answers.push(answered({ kind: 'Status' }))
  expect(await client.delete(pods, { name: 'a', uid: 'u' }, 0)).toBe(true)
  const { body = '', contentLength } = server.requests[0] ?? {}
  expect(JSON.parse(body)).toMatchObject({ preconditions: { uid: 'u' }, gracePeriodSeconds: 0 })
  expect(contentLength).toBe(String(body.length))
})

test.each([404, 409])('a delete that is answered with %i has nothing to delete', async (status) => {
  server.answers.push(refused(status, 'NotFound'))
  expect(await client.delete(pods, { name: 'a', uid: 'u' })).toBe(false)
})

test.each([
  ['a server that is busy', refused(429, 'TooManyRequests')],
  ['a server that is away', refused(503, 'ServiceUnavailable')],
  ['a server that gave up', refused(504, 'Timeout')],
  ['a redirection', answered({}, 302)],
  ['a cut answer', cutAnswer],
  ['an answer that is no object', answered([])],
  ['an object without metadata', answered({ kind: 'Pod' })],
])('%s leaves the outcome unknown', async (_what, answer) => {
  server.answers.push(answer)
  await expect(client.create(pods, { kind: 'Pod' })).rejects.toThrow(KubernetesUnavailable)
})

test('a connection that ends without an answer leaves the outcome unknown', async () => {
  await expect(client.create(pods, { kind: 'Pod' })).rejects.toThrow(KubernetesUnavailable)
})

test('a server that never answers is not waited for', async () => {
  const impatient = new KubernetesClient({ ...server.access, timeoutMs: 1 })
  server.answers.push(() => {})
  await expect(impatient.read('/version')).rejects.toThrow(KubernetesUnavailable)
  impatient.close()
})

test('an answer without an end is not read to its end', async () => {
  let isClosed = Promise.withResolvers<void>()
  server.answers.push((response) => {
    isClosed = Promise.withResolvers()
    response.once('close', () => isClosed.resolve())
    const part = Buffer.alloc(64 * 1024, 32)
    const more = () => {
      while (response.write(part));
      response.once('drain', more)
    }
    more()
  })
  await expect(client.read('/version')).rejects.toThrow(KubernetesUnavailable)
  await isClosed.promise
})

test('the text of a refusal is fit for a log', async () => {
  const message = `pods "x" is forbidden:\n\u001b[31m${'y'.repeat(1000)}`
  server.answers.push(answered({ reason: 'For bidden', message }, 403))
  const failure = await client.get(pods, 'x').catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: 403, reason: '' })
  expect((failure as Error).message).toMatch(/^[\x20-\x7e]{1,500}$/)
})

test('a server that another authority proves gets no request', async () => {
  writeFileSync(join(server.access.folder, 'ca.crt'), makeCertificate(1).certificate)
  await expect(client.read('/version')).rejects.toThrow(KubernetesUnavailable)
  expect(server.requests).toEqual([])
})

test.each(['ca.crt', 'token'])('without %s nothing is sent', async (name) => {
  rmSync(join(server.access.folder, name))
  await expect(client.read('/version')).rejects.toThrow(KubernetesUnavailable)
  expect(server.requests).toEqual([])
})

test('a token with a line break in it is none', async () => {
  writeFileSync(join(server.access.folder, 'token'), 'a\r\nx-other: 1')
  await expect(client.read('/version')).rejects.toThrow('the token in')
})
