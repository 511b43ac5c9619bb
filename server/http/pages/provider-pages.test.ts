import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { providerCallbackPath, providerStartPath } from '@sandbox-jobs/contract/provider-sign-in.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { UnsecuredJWT } from 'jose'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BrowserSteps } from '../../../testing/apps/steps/browser-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { TestIdentityProvider } from '../../../testing/identity-provider.ts'
import { openIdProviderOf } from '../../access/sign-ins/openid-provider.ts'
import { updateUserRow } from '../../companies/user-store.ts'

const { db } = await createTestDatabase()
const { companyId } = await makeTenant(db)
const baseUrl = 'https://jobs.test'
const provider = new TestIdentityProvider()
const secretFile = join(testFolder(), 'client-secret')
writeFileSync(secretFile, `${provider.secret}\n`)
const me = '/private/module/sandbox/me'

const settings = (change: { jwtLoginClaim?: string } = {}) => ({
  baseUrl,
  jwtIssuer: provider.issuer,
  jwtLoginClaim: 'sub',
  oidcClientId: provider.clientId,
  oidcClientSecretFile: secretFile,
  oidcName: 'Example Login',
  ...change,
})
/** A service with this provider; each reads what it publishes anew. */
const service = (change: { jwtLoginClaim?: string } = {}) => {
  const parts = { clock: { now: () => new Date() }, timeoutMs: 1000 }
  return new TestApi(db, { baseUrl, openIdProvider: openIdProviderOf(settings(change), parts) })
}

const { principalId: annaId } = await makeUser(db, companyId, { login: 'anna' })

let api: TestApi
beforeAll(() => {
  api = service()
})
afterEach(() => provider.reset())

const cookiesOf = (set: string | string[] | undefined): Record<string, string> =>
  Object.fromEntries([set ?? []].flat().map((text) => (text.split(';')[0] ?? '').split('=')))

const get = (url: string, cookie = '', on = api) =>
  on.app.inject({ method: 'GET', url, headers: { cookie, 'sec-fetch-site': 'cross-site' } })

/** Goes to the provider and as far as its redirect: the address that it sends the browser to, and the cookie. */
async function atProvider({ query = '', on = api } = {}) {
  const start = await get(`${providerStartPath}${query}`, '', on)
  expect(start.statusCode).toBe(303)
  const authorized = await fetch(String(start.headers.location), { redirect: 'manual' })
  const back = new URL(authorized.headers.get('location') ?? '')
  const cookie = String(start.headers['set-cookie']).split(';')[0] ?? ''
  return { start, back, cookie, comeBack: () => get(`${back.pathname}${back.search}`, cookie, on) }
}

const problem = (name: string) => ({ location: `${baseUrl}/console/sign-in?problem=${name}` })

async function expectProblem(name: string, answer: Awaited<ReturnType<typeof get>>) {
  expect(answer.statusCode).toBe(303)
  expect(answer.headers).toMatchObject(problem(name))
  expect(cookiesOf(answer.headers['set-cookie'])).toEqual({ '__Host-sandbox-provider': '' })
}

describe('signing in at the provider', () => {
  it('signs in the person whom it names, on the screen that they wanted', async () => {
    const { start, back, comeBack } = await atProvider({ query: '?return=/runs%3Fstatus%3Drunning' })
    expect(start.headers['set-cookie']).toMatch(
      /^__Host-sandbox-provider=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    expect(back.origin + back.pathname).toBe(`${baseUrl}${providerCallbackPath}`)
    const answer = await comeBack()
    expect(answer.headers.location).toBe(`${baseUrl}/console/runs?status=running`)
    const cookies = cookiesOf(answer.headers['set-cookie'])
    expect(cookies['__Host-sandbox-provider']).toBe('')
    const browser = new BrowserSteps(api, baseUrl)
    const cookie = `__Host-sandbox=${cookies['__Host-sandbox']}`
    expect((await browser.get(me, cookie)).json()).toMatchObject({ company_id: companyId })
    const signIns = await browser.get(allRoutes.listSignIns.path, cookie)
    expect(signIns.json()).toMatchObject({ items: [{ by: 'provider', is_current: true }] })
  })

  it('sends the secret as the provider wants it', async () => {
    provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    const { comeBack } = await atProvider({ on: service() })
    expect((await comeBack()).headers.location).toBe(`${baseUrl}/console/`)
    expect(provider.redeemed).toMatchObject([{ client_secret: provider.secret }])
  })

  it('takes an issuer with a slash at its end, which the ID token has too', async () => {
    provider.issuerEnd = '/'
    const { comeBack } = await atProvider({ on: service() })
    expect((await comeBack()).headers.location).toBe(`${baseUrl}/console/`)
  })

  it('names the person in the audit log', async () => {
    await (await atProvider()).comeBack()
    const rows = await db
      .selectFrom('audit_pending')
      .select('context')
      .where('object_type', '=', 'sign_in')
      .execute()
    const anna = { action: 'createSignIn', actor_type: 'user', actor_id: annaId }
    expect(rows.map(({ context }) => JSON.parse(context))).toEqual(
      rows.map(() => expect.objectContaining(anna)),
    )
    expect(rows.length).toBeGreaterThan(0)
  })

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '@evil.example',
    '.evil.example/',
    '/../public/auth/provider/start',
    '/%2e%2e/private',
    `/${'x'.repeat(2000)}`,
  ])('leads to a screen of the console alone, not to %s', async (wanted) => {
    const { comeBack } = await atProvider({ query: `?return=${encodeURIComponent(wanted)}` })
    const { location } = (await comeBack()).headers
    expect(new URL(String(location)).href.startsWith(`${baseUrl}/console/`)).toBe(true)
  })
})

describe('signs nobody in', () => {
  it('without the cookie, with that of another browser, and after ten minutes', async () => {
    const { back, cookie } = await atProvider()
    const other = await atProvider()
    const path = `${back.pathname}${back.search}`
    await expectProblem('expired', await get(path))
    await expectProblem('expired', await get(path, other.cookie))
    await expectProblem(
      'expired',
      await get(
        path,
        cookie.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
      ),
    )
    const later = service()
    later.pass(601_000)
    await expectProblem('expired', await get(path, cookie, later))
    expect(provider.redeemed).toEqual([])
  })

  it('a second time with the same answer, even if the provider takes its code twice', async () => {
    const { comeBack } = await atProvider()
    expect((await comeBack()).headers.location).toBe(`${baseUrl}/console/`)
    await expectProblem('refused', await comeBack())
    provider.takesCodesTwice = true
    const second = await atProvider()
    expect((await second.comeBack()).headers.location).toBe(`${baseUrl}/console/`)
    await expectProblem('expired', await second.comeBack())
  })

  it('whom the directory does not have, or who is disabled', async () => {
    provider.person = { sub: 'nobody' }
    await expectProblem('unknown', await (await atProvider()).comeBack())
    provider.person = { sub: "anna' or true" }
    await expectProblem('unknown', await (await atProvider()).comeBack())
    const gone = await makeUser(db, companyId, { login: 'gone' })
    await updateUserRow(db, { companyId, id: gone.principalId }, { disabledAt: new Date() })
    provider.person = { sub: 'gone' }
    await expectProblem('unknown', await (await atProvider()).comeBack())
  })

  it('by an address that the provider has not verified', async () => {
    const byMail = service({ jwtLoginClaim: 'email' })
    await makeUser(db, companyId, { login: 'anna@example.org' })
    const email = 'anna@example.org'
    for (const person of [{ email }, { email, email_verified: false }]) {
      provider.person = { sub: 'x', ...person }
      await expectProblem('unknown', await (await atProvider({ on: byMail })).comeBack())
    }
    provider.person = { sub: 'x', email, email_verified: true }
    expect((await (await atProvider({ on: byMail })).comeBack()).headers.location).toBe(`${baseUrl}/console/`)
  })

  const hourAgo = Math.floor(Date.now() / 1000) - 3600
  it.each<[string, Record<string, unknown>]>([
    ['of another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another client', { aud: 'other-client' }],
    ['for several clients', { aud: ['sandbox-jobs-console', 'other-client'] }],
    ['that has expired', { exp: hourAgo }],
    ['without an end', { exp: undefined }],
    ['without a subject', { sub: undefined }],
  ])('by an ID token %s', async (_, spoiled) => {
    provider.spoiled = spoiled
    await expectProblem('refused', await (await atProvider()).comeBack())
  })

  it('by an ID token without a signature, or signed by somebody else', async () => {
    provider.idToken = (claims) => new UnsecuredJWT(claims).encode()
    await expectProblem('refused', await (await atProvider()).comeBack())
    const stranger = new TestIdentityProvider()
    provider.idToken = (claims) => stranger.signed(claims)
    await expectProblem('refused', await (await atProvider()).comeBack())
  })

  it('who denies, and by a code of another provider', async () => {
    const { back, cookie } = await atProvider()
    const state = back.searchParams.get('state') ?? ''
    const answers = [
      { error: 'access_denied', state },
      { code: 'one', state, iss: 'https://other.example' },
      { state },
    ]
    for (const answer of answers) {
      const query = new URLSearchParams(answer as Record<string, string>)
      await expectProblem('refused', await get(`${providerCallbackPath}?${query}`, cookie))
    }
    expect(provider.redeemed).toEqual([])
  })

  it('while the configured issuer and the published one differ by a slash at the end', async () => {
    for (const [configured, published] of [
      ['', '/'],
      ['/', ''],
    ] as const) {
      provider.issuerEnd = configured
      const on = service()
      provider.issuerEnd = published
      await expectProblem('unreachable', await get(providerStartPath, '', on))
    }
  })

  it('while the provider does not answer, or publishes what is not its own', async () => {
    provider.metadata = { issuer: 'https://other.example' }
    await expectProblem('unreachable', await get(providerStartPath, '', service()))
    provider.metadata = { token_endpoint: 'http://plain.example/token' }
    await expectProblem('unreachable', await get(providerStartPath, '', service()))
    provider.reset()
    for (const path of ['/token', '/keys']) {
      provider.silent.add(path)
      await expectProblem('unreachable', await (await atProvider({ on: service() })).comeBack())
      provider.silent.clear()
    }
    provider.silent.add('/.well-known/openid-configuration')
    await expectProblem('unreachable', await get(providerStartPath, '', service()))
  })
})

it('does not exist where no provider is configured', async () => {
  const plain = new TestApi(db, { baseUrl })
  for (const path of [allRoutes.readSignInProvider.path, providerStartPath, providerCallbackPath])
    expect((await get(path, '', plain)).statusCode).toBe(404)
  expect((await get(allRoutes.readSignInProvider.path)).json()).toEqual({ name: 'Example Login' })
})
