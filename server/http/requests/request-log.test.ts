import { Writable } from 'node:stream'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { refuseCredentials } from '../../access/authentication/authentication.ts'
import type { Presented } from '../../access/authentication/browser-sign-in.ts'
import type { Principal } from '../../access/principal.ts'
import { parseAddressRange } from '../../base/addresses/address-range.ts'
import { LineBudget } from '../../fairness/line-budget.ts'
import { createApp } from '../app.ts'
import { mounter } from '../mount.ts'

type Line = Record<string, unknown>
let lines: Line[]
let app: FastifyInstance
let address: string
beforeEach(() => {
  lines = []
})
afterEach(() => app.close())

const log = pino(
  new Writable({
    write: (line, _encoding, done) => {
      lines.push(JSON.parse(String(line)))
      done()
    },
  }),
)
const caller = {
  companyId: 'com_1',
  principalId: 'usr_1',
  role: 4,
  apiKey: { id: 'key_1', scope: 'full', allowedChatroomIds: [] },
} as unknown as Principal

/** The API with two routes; `fails` is thrown by both. */
async function serve({ readsPerLine = 1, fails }: { readsPerLine?: number; fails?: Error } = {}) {
  const trustedProxies = [parseAddressRange('127.0.0.1/32') ?? []].flat()
  app = createApp(log, { requestLog: { trustedProxies, readsPerLine } })
  const authenticate = async ({ headers }: Presented) => {
    if (headers['x-api-key'] !== 'sbx_secret') throw refuseCredentials()
    return caller
  }
  const mount = mounter(app, { authenticate, isEnabled: () => true })
  const handle = async () => {
    if (fails) throw fails
    return { text: 'answer' } as never
  }
  mount(allRoutes.readRun, handle)
  mount(allRoutes.previewInput, handle)
  address = await app.listen({ port: 0, host: '127.0.0.1' })
}
const id = '5ec2e700'.repeat(4)
const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, id)
const send = (
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  path = pathOf(allRoutes.readRun.path),
) =>
  fetch(`${address}${path}`, {
    ...init,
    headers: { 'x-api-key': 'sbx_secret', 'x-forwarded-for': '192.0.2.9', ...init.headers },
  })
const write = (headers: Record<string, string> = {}) =>
  send(
    {
      method: 'POST',
      body: '{"input":"sbx_input"}',
      headers: { 'content-type': 'application/json', ...headers },
    },
    `${pathOf(allRoutes.previewInput.path)}?q=sbx_query`,
  )
const requests = () => lines.filter(({ msg }) => msg === 'request')
const logged = async (count: number) => {
  await eventually(() => expect(requests()).toHaveLength(count))
  return requests()
}

test('a request has one line, with who, what and how long, and nothing that it sent', async () => {
  await serve()
  const answer = await send()
  const body = await answer.text()
  const [line] = await logged(1)
  expect(line).toMatchObject({
    request: answer.headers.get('x-request-id'),
    method: 'GET',
    route: expect.stringContaining(':'),
    status: 200,
    ms: expect.any(Number),
    company: 'com_1',
    person: 'usr_1',
    key: 'key_1',
    from: '192.0.2.9',
  })
  expect(line?.bytes).toBeGreaterThan(body.length)
  await write()
  await logged(2)
  expect(JSON.stringify(lines)).not.toMatch(/sbx_|5ec2e700/)
})

test('writes and errors are always logged, and one in so many reads of each route', async () => {
  await serve({ readsPerLine: 3 })
  for (let sent = 0; sent < 4; sent += 1) await (await send()).text()
  await (await write()).text()
  await (await write({ 'x-api-key': 'sbx_wrong' })).text()
  await (await send({ headers: { 'x-api-key': 'sbx_wrong' } })).text()
  const shown = (await logged(5)).map(({ method, status, person }) => [method, status, person])
  const writeStatus = shown[2]?.[1]
  expect(shown).toEqual([
    ['GET', 200, 'usr_1'],
    ['GET', 200, 'usr_1'],
    ['POST', writeStatus, 'usr_1'],
    ['POST', 418, undefined],
    ['GET', 418, undefined],
  ])
})

test('the reason of a 500, its line and its answer have the same id', async () => {
  await serve({ readsPerLine: 0, fails: new Error('broken invariant') })
  const answer = await send()
  const [line] = await logged(1)
  const reason = lines.find(({ msg }) => msg === 'request failed')
  expect([answer.status, line?.status]).toEqual([500, 500])
  expect(new Set([line?.request, reason?.request])).toEqual(new Set([answer.headers.get('x-request-id')]))
})

test('a path without a route is not logged itself', async () => {
  await serve()
  await (await send({}, '/sbx_token')).text()
  const [line] = await logged(1)
  expect(line).toMatchObject({ status: 404, method: 'GET' })
  expect(line).not.toHaveProperty('route')
})

test('at the level debug all reads are logged', async () => {
  await serve({ readsPerLine: 0 })
  await (await send()).text()
  log.level = 'debug'
  for (let sent = 0; sent < 3; sent += 1) await (await send()).text()
  log.level = 'info'
  await logged(3)
})

test('at a higher level nothing is logged', async () => {
  await serve()
  log.level = 'warn'
  await (await send()).text()
  log.level = 'info'
  await (await send()).text()
  await logged(1)
})

test('an owner of many requests leaves the lines of others, and what is left out is counted', async () => {
  await serve()
  let now = 0
  const reports: number[] = []
  const budget = new LineBudget(
    (leftOut) => reports.push(leftOut),
    () => now,
  )
  const taken = Array.from({ length: 80 }, () => budget.take('one')).filter(Boolean)
  expect([taken.length, budget.take('other')]).toEqual([50, true])
  now = 1000
  expect([budget.take('one'), reports]).toEqual([true, [30]])
  const all = Array.from({ length: 600 }, (_value, index) => budget.take(`company ${index}`))
  expect(all.filter(Boolean)).toHaveLength(499)
})
