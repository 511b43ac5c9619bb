import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { broken, json, scriptedServer } from '../testing/scripted-server.ts'
import { ApiError, createSandbox } from './index.ts'

const server = await scriptedServer()
afterAll(() => server.close())
let sandbox: ReturnType<typeof createSandbox>
beforeAll(() => {
  sandbox = createSandbox({ baseUrl: server.baseUrl, apiKey: 'key' })
})

const params = { cid: 'roo_1' }
const runParams = { cid: 'roo_1', rid: 'run_1' }
const body = { task_version_id: 'tvr_1', input: 1 }
const away = json(503, { detail: { code: 'database_unavailable', message: 'Away.' } }, { 'retry-after': '0' })
const busy = json(429, { detail: { code: 'queue_full', message: 'Full.' } }, { 'retry-after': '0' })
const keys = () => server.seen.map(({ headers }) => headers['idempotency-key'])

test('repeats of a call have its idempotency key, and another call has another', async () => {
  server.answers(away, broken, busy, json(200, { id: 'run_1' }))
  expect(await sandbox.submitRun({ params, body })).toEqual({ id: 'run_1' })
  expect(keys()).toHaveLength(4)
  expect(new Set(keys()).size).toBe(1)
  const [first] = keys()
  await sandbox.submitRun({ params, body })
  expect(keys().at(-1)).toMatch(/^[0-9a-f]{32}$/)
  expect(keys().at(-1)).not.toBe(first)
  await sandbox.submitRun({ params, body, idempotencyKey: 'mine' })
  expect(keys().at(-1)).toBe('mine')
})

test('a change without a key is repeated only if the service did nothing', async () => {
  server.answers(busy, json(200, { id: 'dep_1' }))
  await sandbox.createDepartment({ body: { name: 'a' } })
  expect(server.seen).toHaveLength(2)
  server.answers(away)
  await expect(sandbox.createDepartment({ body: { name: 'a' } })).rejects.toMatchObject({ status: 503 })
  expect(server.seen).toHaveLength(1)
  server.answers(broken)
  await expect(sandbox.createDepartment({ body: { name: 'a' } })).rejects.toThrow(TypeError)
  expect(server.seen).toHaveLength(1)
})

test('Retry-After is honoured, and ends the call if it is longer than the caller waits', async () => {
  const slow = json(429, { detail: { code: 'queue_full', message: 'Full.' } }, { 'retry-after': '1' })
  server.answers(slow, json(200, { id: 'run_1' }))
  const startedAt = performance.now()
  await sandbox.readRun({ params: runParams })
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990)
  server.answers(slow)
  const hasty = createSandbox({ baseUrl: server.baseUrl, retry: { longestWaitMs: 500 } })
  await expect(hasty.readRun({ params: runParams })).rejects.toMatchObject({ retryAfterSeconds: 1 })
  expect(server.seen).toHaveLength(1)
})

test('after its last repeat a call throws what the service said, with a hint and the request id', async () => {
  server.answers(
    json(
      503,
      { detail: { code: 'sandbox_disabled', message: 'Off.' } },
      { 'retry-after': '0', 'x-request-id': 'abc' },
    ),
  )
  const error = await sandbox.submitRun({ params, body }).catch((thrown: unknown) => thrown)
  expect(server.seen).toHaveLength(4)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 503, code: 'sandbox_disabled', message: 'Off.', requestId: 'abc' })
  expect((error as ApiError).hint).not.toBe('')
  server.answers(json(418, { detail: 'Could not validate credentials' }))
  await expect(sandbox.readMe()).rejects.toMatchObject({ code: null, hint: '', requestId: null })
})

test('an aborted call does not wait for its repeat', async () => {
  server.answers(json(429, { detail: { code: 'queue_full', message: 'Full.' } }, { 'retry-after': '30' }))
  const controller = new AbortController()
  const call = sandbox.readRun({ params: runParams, signal: controller.signal })
  // A request that arrives after its call was aborted would take an answer of the next test.
  await eventually(() => expect(server.seen).toHaveLength(1))
  controller.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
})

test('items of a list come page after page, as far as they are read', async () => {
  server.answers(
    json(200, { items: [{ id: 'a' }, { id: 'b' }], next_page_token: 'next' }),
    json(200, { items: [{ id: 'c' }], next_page_token: null }),
  )
  const ids: string[] = []
  for await (const { id } of sandbox.items('listRuns', { params, query: { status: ['queued'] } }))
    ids.push(id)
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(server.seen.map(({ url }) => url.split('?')[1])).toEqual([
    'status=queued',
    'status=queued&page_token=next',
  ])
  server.answers(json(200, { items: [{ id: 'a' }], next_page_token: 'next' }))
  for await (const _ of sandbox.items('listRuns', { params })) break
  expect(server.seen).toHaveLength(1)
})

test('items of a plain array come by offset', async () => {
  server.answers(json(200, [{ id: 'a' }, { id: 'b' }]), json(200, [{ id: 'c' }]))
  const ids: string[] = []
  for await (const { id } of sandbox.items('listTaskRuns', { params: { id: 't' }, query: { limit: 2 } }))
    ids.push(id)
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(server.seen.map(({ url }) => url.split('?')[1])).toEqual(['limit=2&offset=0', 'limit=2&offset=2'])
})

test('a wait goes on until the run has ended, or the time is over', async () => {
  server.answers(json(200, { terminal_at: null }), json(200, { terminal_at: '2026-11-24T09:30:00Z' }))
  expect(await sandbox.waitForEnd(runParams)).toMatchObject({ terminal_at: '2026-11-24T09:30:00Z' })
  expect(server.seen[0]?.url).toContain('/wait?seconds=60')
  server.answers(json(200, { terminal_at: null }))
  await expect(sandbox.waitForEnd(runParams, { timeoutMs: 50 })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
})

test('a wait for a version ends with the state that needs a person', async () => {
  server.answers(json(200, { state: 'building' }), json(200, { state: 'retryable_failed' }))
  const version = await sandbox.waitForVersion({ id: 'env_1', vid: 'ver_1' })
  expect(version.state).toBe('retryable_failed')
})
