import { ownAccountRoutes } from '@sandbox-jobs/contract/routes/own-account-routes.ts'
import { signInRoutes } from '@sandbox-jobs/contract/routes/sign-in-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { BrowserSteps } from '../../../testing/apps/steps/browser-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { hashPassword } from '../../access/login/passwords.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const baseUrl = 'https://jobs.test'
const api = new TestApi(db, { baseUrl })
const browser = new BrowserSteps(api, baseUrl)
const { companyId } = await makeTenant(db)
const password = 'correct horse battery'
const passwordHash = await hashPassword(password)

beforeAll(() => api.app.ready())

let people = 0
async function person(): Promise<{ username: string; principal: Principal }> {
  people += 1
  const username = `person-${people}`
  return { username, principal: await makeUser(db, companyId, { login: username, passwordHash }) }
}

const chosen = {
  language: 'de',
  time_zone: 'Asia/Taipei',
  theme: 'dark',
  single_keys: false,
  log_wrap: true,
}

describe('the own account', () => {
  it('has names, and standard preferences until the person has chosen some', async () => {
    const { username, principal } = await person()
    const account = await api.must(ownAccountRoutes.readOwnAccount, principal)
    expect(account).toMatchObject({
      principal_id: principal.principalId,
      login: username,
      display_name: username,
      company_name: companyId,
      has_password: true,
      can: { manage_company: false },
      preferences: { language: null, time_zone: null, theme: 'system', single_keys: true, log_wrap: false },
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  })

  it('keeps the preferences of each person, and replaces them', async () => {
    const one = await person()
    const other = await person()
    await api.must(ownAccountRoutes.updatePreferences, one.principal, { body: chosen })
    const changed = { ...chosen, theme: 'light', time_zone: null }
    expect(await api.must(ownAccountRoutes.updatePreferences, one.principal, { body: changed })).toEqual(
      changed,
    )
    const preferencesOf = async (principal: Principal) =>
      (await api.must(ownAccountRoutes.readOwnAccount, principal)).preferences
    expect(await preferencesOf(one.principal)).toEqual(changed)
    expect(await preferencesOf(other.principal)).toMatchObject({ theme: 'system' })
  })

  it.each(['Mars/Olympus', '../etc', 'UTC+25'])('refuses the time zone %s', async (time_zone) => {
    const { principal } = await person()
    const answer = await api.call(ownAccountRoutes.updatePreferences, principal, {
      body: { ...chosen, time_zone },
    })
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('time_zone')
  })
})

describe('a new password', () => {
  const other = 'staple horse correct'
  const me = ownAccountRoutes.readOwnAccount.path
  const change = (cookie: string, body: { current: string; password: string }) =>
    browser.put(ownAccountRoutes.changePassword.path, { cookie, body })

  it('ends the other sign-ins and the tokens of the person, and the sign-in of the request goes on', async () => {
    const { username, principal } = await person()
    const elsewhere = await browser.signIn({ username, password })
    const token = await api.tokens.sign({ userId: principal.principalId, companyId, generation: 1 })
    const here = await browser.signIn({ username, password })
    const answer = await change(here, { current: password, password: other })
    expect([answer.statusCode, answer.json()]).toEqual([200, { ended: 1 }])
    expect((await browser.get(me, here)).statusCode).toBe(200)
    expect((await browser.get(me, elsewhere)).statusCode).toBe(418)
    expect((await browser.get(me, '', { authorization: `Bearer ${token}` })).statusCode).toBe(418)
    expect(await browser.signIn({ username, password: other })).not.toBe('')
    const former = await browser.post(signInRoutes.createSignIn.path, { body: { username, password } })
    expect(former.statusCode).toBe(418)
  })

  it('needs the present one, and guesses count as failed logins', async () => {
    const { username } = await person()
    const cookie = await browser.signIn({ username, password })
    for (let guess = 0; guess < 5; guess += 1) {
      const answer = await change(cookie, { current: 'guessed', password: other })
      expect([answer.statusCode, answer.json().detail.code]).toEqual([403, 'wrong_password'])
    }
    const late = await change(cookie, { current: password, password: other })
    expect([late.statusCode, late.json().detail.code]).toEqual([429, 'login_rate_limited'])
    expect((await browser.get(me, cookie)).statusCode).toBe(200)
  })

  it('has twelve characters at least', async () => {
    const { username } = await person()
    const cookie = await browser.signIn({ username, password })
    expect((await change(cookie, { current: password, password: 'short' })).statusCode).toBe(422)
  })
})
