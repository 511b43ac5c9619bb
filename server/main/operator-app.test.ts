import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { type SentHeaders, TestOperatorConsole } from '../../testing/apps/test-operator-console.ts'
import { testFolder } from '../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { endOperatorSignIns } from '../operations/operator-sign-ins/operator-sign-ins.ts'

const { db } = await createTestDatabase()
const start = new Date('2026-01-01T00:00:00Z')
let now = start
const clock = { now: () => now }
const packedFolder = testFolder()
mkdirSync(join(packedFolder, 'console/assets'), { recursive: true })
writeFileSync(join(packedFolder, 'console/index.html'), '<html lang="en">of tenants</html>')
writeFileSync(join(packedFolder, 'console/operator.html'), '<html lang="en">of operators</html>')
writeFileSync(join(packedFolder, 'console/assets/operator-1.js'), 'run()')

let operators: TestOperatorConsole
beforeEach(async () => {
  now = start
  operators = new TestOperatorConsole(db, clock, packedFolder)
  await endOperatorSignIns({ db, clock })
})

const send: TestOperatorConsole['send'] = (sent) => operators.send(sent)
const signIn: TestOperatorConsole['signIn'] = (code, headers) => operators.signIn(code, headers)
const signedIn = () => operators.signedIn()
const readState = (cookie: string | undefined, headers: SentHeaders = {}) =>
  send({ method: 'GET', url: operatorRoutes.readState.path, headers: { cookie, ...headers } })

describe('a sign-in', () => {
  it('is a cookie that no script and no other site gets', async () => {
    const answer = await signIn(await operators.makeCode())
    expect([answer.statusCode, answer.json().account]).toEqual([200, 'grace'])
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-sandbox-operator=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=28800$/,
    )
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each([['short'], [''], [undefined], [7], ['x'.repeat(43)], [`${'x'.repeat(42)}\u0000`]])(
    'is refused for the code %j',
    async (code) => {
      const answer = await signIn(code)
      expect(answer.statusCode).toBe(code === 'x'.repeat(43) ? 418 : 422)
      expect(answer.headers['set-cookie']).toBeUndefined()
    },
  )

  it('is refused beyond a number of tries in a minute, with the time to wait', async () => {
    for (let index = 0; index < 60; index++) expect((await signIn('x'.repeat(43))).statusCode).toBe(418)
    const answer = await signIn(await operators.makeCode())
    expect([answer.statusCode, answer.json().detail.code]).toEqual([429, 'login_rate_limited'])
    expect(answer.headers['retry-after']).toBe('60')
  })

  it('counts tries anew once the minute is over, or the clock was set back', async () => {
    const tryCode = async () => (await signIn('x'.repeat(43))).statusCode
    for (const next of [new Date(start.getTime() + 60_000), start]) {
      for (let index = 0; index < 60; index++) await tryCode()
      expect(await tryCode()).toBe(429)
      now = next
      expect(await tryCode()).toBe(418)
    }
  })

  it('ends with sign-out', async () => {
    const cookie = await signedIn()
    const answer = await send({ method: 'POST', url: operatorRoutes.signOut.path, headers: { cookie } })
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([
      200,
      '__Host-sandbox-operator=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    ])
    expect((await readState(cookie)).statusCode).toBe(418)
  })
})

describe('a request', () => {
  const foreign: Record<string, SentHeaders> = {
    'of another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    'of another port of this machine': { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:8080' },
    'that a person typed': { 'sec-fetch-site': 'none', origin: undefined },
    'of no browser': { 'sec-fetch-site': undefined },
    'to a name that resolves to this machine': { host: 'evil.example:8079' },
    'to another address': { host: '192.0.2.7:8079' },
    'without a name': { host: '' },
    'with a name that is none': { host: '127.0.0.1@evil.example' },
  }
  it.each(Object.entries(foreign))('%s is refused, whatever its cookie', async (_, headers) => {
    const cookie = await signedIn()
    const code = await operators.makeCode()
    const url = operatorRoutes.signOut.path
    const answers = [
      await readState(cookie, headers),
      await signIn(code, headers),
      await send({ method: 'POST', url, headers: { ...headers, cookie } }),
    ]
    for (const answer of answers)
      expect([answer.statusCode, answer.json().detail.code]).toEqual([403, 'console_wrong_address'])
    // It neither spent the code nor ended the sign-in.
    expect((await signIn(code)).statusCode).toBe(200)
    expect((await readState(cookie)).statusCode).toBe(200)
  })

  it.each(['localhost:9000', '[::1]:8079', '127.0.0.1'])('may come through %s', async (host) => {
    const answer = await readState(await signedIn(), { host, origin: `http://${host}` })
    expect(answer.statusCode).toBe(200)
  })

  it('that changes something needs the origin and the header of a page', async () => {
    const cookie = await signedIn()
    for (const headers of [{ origin: undefined }, { origin: 'null' }, { 'x-sandbox-console': undefined }]) {
      const url = operatorRoutes.signOut.path
      expect((await send({ method: 'POST', url, headers: { cookie, ...headers } })).statusCode).toBe(403)
    }
    expect((await readState(cookie)).statusCode).toBe(200)
  })

  it.each([undefined, '__Host-sandbox-operator=x', `__Host-sandbox-operator=${'x'.repeat(43)}`])(
    'with the cookie %j is not signed in',
    async (cookie) => {
      expect((await readState(cookie)).statusCode).toBe(418)
    },
  )
})

describe('the pages', () => {
  const get = (url: string, headers: SentHeaders = {}) =>
    send({
      method: 'GET',
      url,
      headers: { 'sec-fetch-site': 'none', origin: undefined, 'x-sandbox-console': undefined, ...headers },
    })

  it.each(['/operator/', '/operator/sign-in'])('%s is that of operators', async (url) => {
    const answer = await get(url)
    expect([answer.statusCode, answer.body]).toEqual([200, '<html lang="en">of operators</html>'])
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'")
  })

  it('have the files of the web console', async () => {
    expect((await get('/console/assets/operator-1.js')).body).toBe('run()')
  })

  it.each([
    '/console/',
    '/console/index.html',
    '/operator/api/v1/other',
    '/public/auth/sign-in',
    '/private/module/sandbox/me',
  ])('%s is not there', async (url) => {
    expect((await get(url)).statusCode).toBe(404)
  })

  it('are not there for a name that resolves to this machine', async () => {
    expect((await get('/operator/', { host: 'evil.example' })).statusCode).toBe(403)
  })
})

it('the state shows counts, ages and companies', async () => {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  await makeRun(db, task, { chatroom_id: tenant.roomId, state: 'queued' })
  const answer = await readState(await signedIn())
  expect(answer.json()).toMatchObject({
    sign_in: { account: 'grace' },
    worker: false,
    run_slots: { used: 0, total: operators.config.runSlots },
    waiting: { runs: 1, builds: 0 },
    companies: [{ company_id: tenant.companyId, runs_queued: 1 }],
    runs: [],
  })
  expect(answer.json().disk.total).toBeGreaterThan(0)
})
