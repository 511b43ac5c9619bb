import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { OAuthSteps, redirectUri } from '../../../testing/apps/steps/oauth-steps.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
const steps = new OAuthSteps(db, harness)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

async function request(metadata?: object) {
  const { clientId } = await steps.register(metadata)
  return steps.request(clientId, tenant.roomId).query
}

describe('the page of a request', () => {
  it('runs no script, sets no cookie, and says nothing of the room before a login', async () => {
    const query = await request()
    const { body, headers } = await steps.page(query)
    const elsewhere = await steps.page({ ...query, resource: 'http://sandbox.test/mcp/chatrooms/roo_none' })
    expect(elsewhere.body).toBe(body)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' })
    expect(headers['set-cookie']).toBeUndefined()
  })

  it.each<[string, Record<string, string | undefined>]>([
    ['an unknown client', { client_id: 'x' }],
    ['an address that is not registered', { redirect_uri: 'https://evil.example/' }],
    ['a longer address', { redirect_uri: `${redirectUri}/more` }],
    ['an address with another path', { redirect_uri: 'http://127.0.0.1:4711/other' }],
    ['another loopback name', { redirect_uri: 'http://localhost:4711/callback' }],
    ['no address', { redirect_uri: undefined }],
    ['another response', { response_type: 'token' }],
    ['no challenge', { code_challenge: undefined }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['no method', { code_challenge_method: undefined }],
    ['no resource', { resource: undefined }],
    ['a resource elsewhere', { resource: 'https://other.example/mcp/chatrooms/roo_1' }],
    ['a resource beside the tools', { resource: 'http://sandbox.test/mcp/chatrooms/../x' }],
    ['a long state', { state: 'x'.repeat(3000) }],
  ])('with %s is a problem that redirects nowhere', async (_what, change) => {
    const changed = { ...(await request()), ...change }
    const query = Object.fromEntries(
      Object.entries(changed).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    for (const answer of [await steps.page(query), await steps.decide(query, tenant.member)]) {
      expect('statusCode' in answer ? answer.statusCode : answer.status).toBe(400)
      expect(answer.headers.location).toBeUndefined()
      expect(answer.body).toContain('role="alert"')
      expect(answer.body).not.toContain('evil.example')
    }
  })

  it('takes any port of the same machine', async () => {
    const query = { ...(await request()), redirect_uri: 'http://127.0.0.1:50123/callback' }
    const { location } = await steps.decide(query, tenant.member)
    expect(location?.href).toMatch(/^http:\/\/127\.0\.0\.1:50123\/callback\?code=/)
  })
})

describe('a person', () => {
  it('sees who asks for what, and where the answer goes', async () => {
    const query = await request({
      redirect_uris: ['https://client.example/callback?kind=mcp'],
      client_name: '<script>alert(1)</script>\u202e',
    })
    const asked = { ...query, redirect_uri: 'https://client.example/callback?kind=mcp' }
    const { username, ...rest } = await steps.loginOf(tenant.member)
    const shown = await steps.sendForm(asked, { username, ...rest })
    expect(shown.status).toBe(200)
    expect(shown.body).toContain('&lt;script&gt;')
    expect(shown.body).toContain('\\u{202e}')
    expect(shown.body).not.toContain('<script')
    for (const text of ['client.example', username, 'Only you can confirm'.toLowerCase()])
      expect(shown.body.toLowerCase()).toContain(text.toLowerCase())
    expect(shown.headers['content-security-policy']).toContain("form-action 'self' https://client.example;")
  })

  it('allows it: the code goes to the client, with its state and our name', async () => {
    const { status, location } = await steps.decide(await request(), tenant.member)
    expect([status, location?.origin, location?.pathname]).toEqual([
      303,
      'http://127.0.0.1:4711',
      '/callback',
    ])
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      code: expect.stringMatching(/^sbx1\.oauth-code\./),
      iss: 'http://sandbox.test',
      state: 'of the client',
    })
  })

  it('denies it', async () => {
    const { location } = await steps.decide(await request(), tenant.member, 'deny')
    expect(location?.searchParams.get('error')).toBe('access_denied')
    expect(location?.searchParams.has('code')).toBe(false)
  })

  it('with a wrong password gets the form again', async () => {
    const query = await request()
    const { username } = await steps.loginOf(tenant.member)
    const answer = await steps.sendForm(query, { username, password: 'wrong' })
    expect([answer.status, answer.login, answer.headers['www-authenticate']]).toEqual([401, '', undefined])
    expect(answer.body).toContain('name="password"')
    expect((await steps.sendForm(query, { username })).status).toBe(422)
  })

  it('who is not in the room finds none', async () => {
    const query = await request()
    for (const other of [tenant.stranger, (await makeTenant(db)).member]) {
      expect((await steps.sendForm(query, await steps.loginOf(other))).status).toBe(404)
    }
  })

  it('logs in for one request, for ten minutes, and not for a proposal', async () => {
    const query = await request()
    const { login } = await steps.sendForm(query, await steps.loginOf(tenant.member))
    const form = { login, decision: 'allow' }
    const others = [
      { ...query, state: 'another' },
      { ...query, redirect_uri: 'http://127.0.0.1:1/callback' },
      await request({ redirect_uris: [redirectUri], client_name: 'Another' }),
    ]
    for (const other of others) expect((await steps.sendForm(other, form)).status).toBe(401)
    expect((await steps.sendForm(query, form)).status).toBe(303)
    const { statusCode } = await harness.app.inject({
      method: 'POST',
      url: '/confirm/prp_1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ login, decision: 'confirm' }).toString(),
    })
    expect(statusCode).toBe(401)
    harness.advanceSeconds(601)
    expect((await steps.sendForm(query, form)).status).toBe(401)
  })
})
