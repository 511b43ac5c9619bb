import { eventRoutes } from '@sandbox-jobs/contract/routes/event-routes.ts'
import { signInRoutes } from '@sandbox-jobs/contract/routes/sign-in-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { BrowserSteps } from '../../../testing/apps/steps/browser-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { updateUserRow } from '../../companies/user-store.ts'
import { lockAuthority } from '../authentication/lock-authority.ts'
import { hashPassword } from '../login/passwords.ts'
import type { Principal } from '../principal.ts'
import { deleteAllSignIns, dropExpiredSignIns } from './sign-in-store.ts'

const { db } = await createTestDatabase()
const baseUrl = 'https://jobs.test'
const api = new TestApi(db, { baseUrl })
const browser = new BrowserSteps(api, baseUrl)
const { companyId } = await makeTenant(db)
const password = 'correct horse battery'
const passwordHash = await hashPassword(password)
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const me = '/private/module/sandbox/me'

beforeAll(() => api.app.ready())

let people = 0
async function person(): Promise<{ username: string; principal: Principal }> {
  people += 1
  const username = `person-${people}`
  return { username, principal: await makeUser(db, companyId, { login: username, passwordHash }) }
}

/** A person who is signed in, and how their browser asks who they are. */
async function signedIn() {
  const { username, principal } = await person()
  const cookie = await browser.signIn({ username, password })
  return { username, principal, cookie, status: async () => (await browser.get(me, cookie)).statusCode }
}

describe('signing in', () => {
  it('sets a cookie for this host alone, which scripts cannot read and other sites cannot use', async () => {
    const { username } = await person()
    const answer = await browser.post(signInRoutes.createSignIn.path, { body: { username, password } })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-sandbox=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    )
    expect(answer.json()).toMatchObject({ is_current: true, address: '127.0.0.1' })
  })

  it('makes the person the caller', async () => {
    const { principal, cookie } = await signedIn()
    const answer = await browser.get(me, cookie)
    expect(answer.json()).toMatchObject({ principal_id: principal.principalId, auth_method: 'jwt' })
  })

  it('answers a wrong password, an unknown login and a disabled user alike', async () => {
    const { username } = await person()
    const gone = await person()
    await updateUserRow(db, { companyId, id: gone.principal.principalId }, { disabledAt: new Date() })
    const tried = [
      { username, password: 'wrong' },
      { username: 'nobody', password },
      { username: gone.username, password },
    ]
    for (const body of tried) {
      const answer = await browser.post(signInRoutes.createSignIn.path, { body })
      expect([answer.statusCode, answer.json(), answer.headers['set-cookie']]).toEqual([
        418,
        { detail: 'Could not validate credentials' },
        undefined,
      ])
    }
  })

  it('counts attempts as logins do', async () => {
    const { username } = await person()
    const tryOnce = (word: string) =>
      browser.post(signInRoutes.createSignIn.path, { body: { username, password: word } })
    for (let attempt = 0; attempt < 5; attempt += 1) await tryOnce('wrong')
    const answer = await tryOnce(password)
    expect([answer.statusCode, answer.json().detail.code]).toEqual([429, 'login_rate_limited'])
  })

  it('is refused over HTTP that leaves the machine, with the reason', async () => {
    const plain = new TestApi(db, { baseUrl: 'http://jobs.test' })
    const steps = new BrowserSteps(plain, 'http://jobs.test')
    const { username } = await person()
    const answer = await steps.post(signInRoutes.createSignIn.path, { body: { username, password } })
    expect([answer.statusCode, answer.json().detail.code]).toEqual([403, 'console_needs_https'])
  })

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080'])('works at %s', async (address) => {
    const steps = new BrowserSteps(new TestApi(db, { baseUrl: address }), address)
    const { username } = await person()
    expect(await steps.signIn({ username, password })).toMatch(/^__Host-sandbox=/)
  })

  it('at another address than that of the service names the right one', async () => {
    const { username } = await person()
    const answer = await browser.post(signInRoutes.createSignIn.path, {
      body: { username, password },
      headers: { origin: 'https://127.0.0.1' },
    })
    expect([answer.statusCode, answer.json().detail]).toMatchObject([
      403,
      { code: 'console_wrong_address', console_url: 'https://jobs.test/console/' },
    ])
  })

  it('ends the sign-in of the person that was not used for longest, beyond twenty', async () => {
    const first = await signedIn()
    const second = await browser.signIn({ username: first.username, password })
    api.pass(2 * minuteMs)
    expect(await first.status()).toBe(200)
    for (let more = 0; more < 19; more += 1) await browser.signIn({ username: first.username, password })
    expect(await first.status()).toBe(200)
    expect((await browser.get(me, second)).statusCode).toBe(418)
    const list = await browser.get(signInRoutes.listSignIns.path, first.cookie)
    expect(list.json().items).toHaveLength(20)
  })
})

describe('a sign-in ends', () => {
  it('after eight hours without a use', async () => {
    const { status } = await signedIn()
    api.pass(7 * hourMs)
    expect(await status()).toBe(200)
    api.pass(7 * hourMs)
    expect(await status()).toBe(200)
    api.pass(8 * hourMs)
    expect(await status()).toBe(418)
  })

  it('after seven days in use', async () => {
    const { status } = await signedIn()
    for (let hours = 0; hours < 7 * 24 - 7; hours += 7) {
      api.pass(7 * hourMs)
      expect(await status()).toBe(200)
    }
    api.pass(8 * hourMs)
    expect(await status()).toBe(418)
  })

  it('while only an event stream of an open page is read', async () => {
    const { cookie, status } = await signedIn()
    for (const hours of [4, 3]) {
      api.pass(hours * hourMs)
      const answer = await browser.get(`${eventRoutes.followEvents.path}?topics=me&seconds=0`, cookie)
      expect(answer.statusCode).toBe(200)
    }
    api.pass(hourMs)
    expect(await status()).toBe(418)
  })

  it('later by each other request, whatever it accepts', async () => {
    const { cookie, status } = await signedIn()
    api.pass(7 * hourMs)
    const answer = await browser.get(me, cookie, { accept: 'text/event-stream' })
    expect(answer.statusCode).toBe(200)
    api.pass(7 * hourMs)
    expect(await status()).toBe(200)
  })

  it('with sign-out, which removes the cookie', async () => {
    const { cookie, status } = await signedIn()
    const answer = await browser.end('current', cookie)
    expect([answer.statusCode, answer.json()]).toEqual([200, { ended: 1 }])
    expect(answer.headers['set-cookie']).toMatch(/^__Host-sandbox=; .*Max-Age=0$/)
    expect(await status()).toBe(418)
  })

  it('with a new password, and stays ended', async () => {
    const { principal, status } = await signedIn()
    await updateUserRow(db, { companyId, id: principal.principalId }, { passwordHash })
    expect(await status()).toBe(418)
  })

  it('with the person, and stays ended when they are enabled again', async () => {
    const { principal, status } = await signedIn()
    const key = { companyId, id: principal.principalId }
    await updateUserRow(db, key, { disabledAt: new Date() })
    await updateUserRow(db, key, { disabledAt: null })
    expect(await status()).toBe(418)
  })

  it('when the operator ends all logins', async () => {
    const { status } = await signedIn()
    await deleteAllSignIns(db)
    expect(await status()).toBe(418)
  })

  it('also for what its request writes later', async () => {
    const { principal, cookie } = await signedIn()
    const { items } = (await browser.get(signInRoutes.listSignIns.path, cookie)).json()
    const caller: Principal = { ...principal, credentialGeneration: 1, signInId: items[0].id }
    await db.transaction().execute((trx) => lockAuthority(trx, caller))
    await browser.end('current', cookie)
    await expect(db.transaction().execute((trx) => lockAuthority(trx, caller))).rejects.toMatchObject({
      status: 418,
    })
  })

  it('and its row is removed by the sweep', async () => {
    await deleteAllSignIns(db)
    await signedIn()
    const now = (hours: number) => new Date(api.context.clock.now().getTime() + hours * hourMs)
    expect(await dropExpiredSignIns(db, now(7))).toEqual({ dropped: 0 })
    expect(await dropExpiredSignIns(db, now(8))).toEqual({ dropped: 1 })
  })
})

describe('the sign-ins of a person', () => {
  it('are listed with browser and address, without those that have ended', async () => {
    const { username, cookie } = await signedIn()
    api.pass(minuteMs)
    await browser.signIn({ username, password }, { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' })
    const { items } = (await browser.get(signInRoutes.listSignIns.path, cookie)).json()
    expect(items).toEqual([
      expect.objectContaining({ is_current: true }),
      expect.objectContaining({ client: 'Firefox on Linux', address: '127.0.0.1', is_current: false }),
    ])
  })

  it('are ended one by one by their person, and by nobody else', async () => {
    const one = await signedIn()
    const other = await signedIn()
    const { items } = (await browser.get(signInRoutes.listSignIns.path, one.cookie)).json()
    expect((await browser.end(items[0].id, other.cookie)).json()).toEqual({ ended: 0 })
    expect(await one.status()).toBe(200)
    expect((await browser.end(items[0].id, one.cookie)).json()).toEqual({ ended: 1 })
    expect(await one.status()).toBe(418)
  })

  it('but the current one end together', async () => {
    const { username, cookie, status } = await signedIn()
    const others = [
      await browser.signIn({ username, password }),
      await browser.signIn({ username, password }),
    ]
    const answer = await browser.end('others', cookie)
    expect(answer.json()).toEqual({ ended: 2 })
    expect(await status()).toBe(200)
    for (const ended of others) expect((await browser.get(me, ended)).statusCode).toBe(418)
  })

  it('have no current one in a request with a token', async () => {
    const { principal } = await person()
    const answer = await api.call(signInRoutes.endSignIns, principal, { body: { which: 'current' } })
    expect(answer.body).toEqual({ ended: 0 })
  })
})

it('a token or a key decides alone, also when it is wrong', async () => {
  const { cookie } = await signedIn()
  for (const wrong of [{ authorization: 'Bearer x' }, { 'x-api-key': 'x' }])
    expect((await browser.get(me, cookie, wrong)).statusCode).toBe(418)
})
