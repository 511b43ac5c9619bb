import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { OAuthSteps, redirectUri } from '../../../testing/apps/steps/oauth-steps.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRoom, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { dropExpiredGrants } from '../../access/oauth/grant-store.ts'
import { RequestScheduler } from '../../fairness/request-scheduler.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
const steps = new OAuthSteps(db, harness)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
  await harness.offer(tenant)
})

const loggedIn = () => steps.loggedIn(tenant.member, tenant.roomId)
async function listTools(token: string, roomId = tenant.roomId): Promise<number> {
  const { statusCode } = await harness.app.inject({
    method: 'POST',
    url: `/mcp/chatrooms/${roomId}`,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  return statusCode
}
const refresh = ({ clientId, refresh: refresh_token }: { clientId: string; refresh: string }, more = {}) =>
  steps.post('token', { grant_type: 'refresh_token', refresh_token, client_id: clientId, ...more })
const grants = async () =>
  (await db.selectFrom('oauth_grants').select('id').where('company_id', '=', tenant.companyId).execute())
    .length

it('requests of clients wait for their turn among companies, as those with credentials do', async () => {
  const enter = vi.spyOn(RequestScheduler.prototype, 'enter')
  const turns = () => enter.mock.calls.splice(0).map(([company]) => company)
  const form = await steps.allowed(tenant.member, tenant.roomId)
  expect(turns()).toEqual([tenant.companyId, tenant.companyId])
  const { body } = await steps.post('token', form)
  expect(turns()).toEqual([tenant.companyId])
  const of = { clientId: form.client_id, refresh: String(body.refresh_token) }
  const next = (await refresh(of)).body.refresh_token ?? ''
  expect(turns()).toEqual([tenant.companyId])
  await steps.post('revoke', { token: next, client_id: form.client_id })
  expect(turns()).toEqual([tenant.companyId])
  await refresh({ ...of, refresh: 'of nobody' })
  expect(turns()).toEqual([])
  enter.mockRestore()
})

describe('metadata', () => {
  it('is what a client without a token is sent to', async () => {
    const url = `/mcp/chatrooms/${tenant.roomId}`
    const { statusCode, headers } = await harness.app.inject({ method: 'POST', url })
    const metadata = `http://sandbox.test/.well-known/oauth-protected-resource${url}`
    expect([statusCode, headers['www-authenticate']]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}", scope="jobs"`,
    ])
    const resource = await harness.app.inject({ method: 'GET', url: new URL(metadata).pathname })
    expect(resource.json()).toMatchObject({
      resource: `http://sandbox.test${url}`,
      authorization_servers: ['http://sandbox.test'],
    })
    const server = await harness.app.inject({ method: 'GET', url: '/.well-known/oauth-authorization-server' })
    expect(server.json()).toMatchObject({
      issuer: 'http://sandbox.test',
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
  })
})

describe('a registration', () => {
  it.each([
    ['no address', { redirect_uris: [] }],
    ['an address without TLS', { redirect_uris: ['http://example.com/cb'] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['a scheme of an app', { redirect_uris: ['app://cb'] }],
    ['a fragment', { redirect_uris: ['https://example.com/cb#x'] }],
    ['a user name', { redirect_uris: ['https://sandbox.test@example.com/cb'] }],
    ['a backslash', { redirect_uris: ['https://example.com\\@sandbox.test/cb'] }],
    ['no text', { redirect_uris: [1] }],
    [
      'too many addresses',
      { redirect_uris: Array.from({ length: 9 }, (_, at) => `https://example.com/${at}`) },
    ],
    ['a long address', { redirect_uris: [`https://example.com/${'x'.repeat(600)}`] }],
    [
      'much text',
      { redirect_uris: Array.from({ length: 8 }, (_, at) => `https://x.y/${at}${'x'.repeat(400)}`) },
    ],
  ])('with %s is refused', async (_what, metadata) => {
    const { status, body } = await steps.register(metadata)
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
    ])
  })

  it('stores nothing, and its id cannot be changed', async () => {
    const { status, body, clientId } = await steps.register({
      redirect_uris: [redirectUri],
      client_name: `A\u202eB${'x'.repeat(500)}`,
      token_endpoint_auth_method: 'client_secret_basic',
    })
    expect([status, body.token_endpoint_auth_method, body.client_secret]).toEqual([201, 'none', undefined])
    expect(body.client_name).toMatch(/^A\\u\{202e\}Bx+$/)
    const { query } = steps.request(clientId, tenant.roomId)
    expect((await steps.page(query)).statusCode).toBe(200)
    const [form, claims, mac = ''] = clientId.split('.')
    const other = Buffer.from(JSON.stringify({ name: 'x', redirectUris: ['https://evil.example/'] }))
    for (const id of [
      `${form}.${other.toString('base64url')}.${mac}`,
      `${form}.${claims}.${mac}A`,
      'x',
      '..',
    ])
      expect((await steps.page({ ...query, client_id: id })).statusCode).toBe(400)
    expect(await grants()).toBe(0)
  })
})

describe('a code', () => {
  it('is exchanged once: used again, it ends the tokens', async () => {
    const { form, access } = await loggedIn()
    expect(await listTools(access)).toBe(200)
    expect((await steps.post('token', form)).body).toMatchObject({ error: 'invalid_grant' })
    expect(await listTools(access)).toBe(401)
    expect((await steps.post('token', form)).body).toMatchObject({ error: 'invalid_grant' })
    expect(await grants()).toBe(1)
  })

  it.each<[string, Record<string, string>, string]>([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'x' }, 'invalid_grant'],
    ['another address', { redirect_uri: 'http://127.0.0.1:9/callback' }, 'invalid_grant'],
    ['another resource', { resource: 'http://sandbox.test/mcp/chatrooms/roo_x' }, 'invalid_target'],
    ['an unknown client', { client_id: 'x' }, 'invalid_client'],
    ['no code', { code: 'x' }, 'invalid_grant'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['an empty parameter', { code: '' }, 'invalid_request'],
  ])('with %s is refused and stays good', async (_what, change, error) => {
    const form = await steps.allowed(tenant.member, tenant.roomId)
    const refused = await steps.post('token', { ...form, ...change })
    expect([refused.status, refused.body.error]).toEqual([error === 'invalid_client' ? 401 : 400, error])
    expect((await steps.post('token', form)).status).toBe(200)
  })

  it('of another client is refused', async () => {
    const form = await steps.allowed(tenant.member, tenant.roomId)
    const { clientId } = await steps.register({ redirect_uris: [redirectUri], client_name: 'Another' })
    expect((await steps.post('token', { ...form, client_id: clientId })).body).toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('is good for a minute, and not after a change of the password', async () => {
    const late = await steps.allowed(tenant.member, tenant.roomId)
    harness.advanceSeconds(61)
    expect((await steps.post('token', late)).body).toMatchObject({ error: 'invalid_grant' })
    const form = await steps.allowed(tenant.member, tenant.roomId)
    await raiseGeneration()
    expect((await steps.post('token', form)).body).toMatchObject({ error: 'invalid_grant' })
    expect(await grants()).toBe(0)
  })
})

const raiseGeneration = () =>
  db
    .updateTable('users')
    .set(({ eb }) => ({ credential_generation: eb('credential_generation', '+', 1) }))
    .where('id', '=', tenant.member.principalId)
    .execute()

describe('an access token', () => {
  it('is for one room, and for the tools alone', async () => {
    const { access } = await loggedIn()
    const headers = { authorization: `Bearer ${access}` }
    const other = await makeRoom(db, { companyId: tenant.companyId, departmentId: tenant.departmentId })
    expect(await listTools(access, other)).toBe(401)
    const turn = await harness.app.inject({ method: 'POST', url: '/mcp', headers })
    expect(turn.statusCode).toBe(401)
    for (const [route, call] of [
      [allRoutes.readMe, {}],
      [allRoutes.listProposals, {}],
      [allRoutes.confirmProposal, { params: { pid: 'prp_1' } }],
      [allRoutes.postMessage, { params: { cid: tenant.roomId }, body: { text: 'x' } }],
    ] as const) {
      expect((await harness.send(route, headers, call)).status).toBe(418)
    }
  })

  it('ends after ten minutes, with the membership, the password, and the person', async () => {
    const { access } = await loggedIn()
    expect(await listTools(access)).toBe(200)
    harness.advanceSeconds(601)
    expect(await listTools(access)).toBe(401)
    const { access: second } = await loggedIn()
    await raiseGeneration()
    expect(await listTools(second)).toBe(401)
    await db
      .updateTable('users')
      .set({ credential_generation: 1 })
      .where('id', '=', tenant.member.principalId)
      .execute()
    await db.deleteFrom('chatroom_members').where('user_id', '=', tenant.member.principalId).execute()
    expect(await listTools(second)).toBe(404)
    await db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', '=', tenant.member.principalId)
      .execute()
    expect(await listTools(second)).toBe(401)
  })
})

describe('a refresh token', () => {
  it('is exchanged for the next one, and the one before ends all of them', async () => {
    const first = await loggedIn()
    const next = await refresh(first)
    expect(next.body).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'jobs' })
    const second = { clientId: first.clientId, refresh: String(next.body.refresh_token) }
    expect(await listTools(String(next.body.access_token))).toBe(200)
    // Its answer may be lost, so at once it may be repeated.
    expect((await refresh(first)).body.refresh_token).toBe(second.refresh)
    harness.advanceSeconds(11)
    expect((await refresh(first)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await refresh(second)).body).toMatchObject({ error: 'invalid_grant' })
    expect(await listTools(String(next.body.access_token))).toBe(401)
  })

  it('of many at once gives the same next one', async () => {
    const first = await loggedIn()
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(first)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.refresh_token}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })

  it('is for its client and its room', async () => {
    const first = await loggedIn()
    const { clientId } = await steps.register({ redirect_uris: [redirectUri], client_name: 'Another' })
    expect((await refresh({ ...first, clientId })).body).toMatchObject({ error: 'invalid_grant' })
    expect(
      (await refresh(first, { resource: 'http://sandbox.test/mcp/chatrooms/roo_x' })).body,
    ).toMatchObject({
      error: 'invalid_target',
    })
    expect((await refresh({ ...first, refresh: `${first.refresh}A` })).body).toMatchObject({
      error: 'invalid_grant',
    })
    expect((await refresh(first)).status).toBe(200)
  })

  it('lives thirty days, and ninety at most', async () => {
    let token = await loggedIn()
    for (let month = 0; month < 3; month += 1) {
      harness.advanceSeconds(29 * 86_400)
      const { status, body } = await refresh(token)
      expect(status).toBe(200)
      token = { ...token, refresh: String(body.refresh_token) }
    }
    harness.advanceSeconds(4 * 86_400)
    expect((await refresh(token)).body).toMatchObject({ error: 'invalid_grant' })
    const idle = await loggedIn()
    harness.advanceSeconds(31 * 86_400)
    expect((await refresh(idle)).body).toMatchObject({ error: 'invalid_grant' })
    await dropExpiredGrants(db, harness.clock.now())
    expect(await grants()).toBe(0)
  })
})

describe('a revocation', () => {
  it.each(['access', 'refresh'] as const)('of an %s token ends the grant', async (kind) => {
    const tokens = await loggedIn()
    const { clientId: stranger } = await steps.register({
      redirect_uris: [redirectUri],
      client_name: 'Another',
    })
    expect((await steps.post('revoke', { token: tokens[kind], client_id: stranger })).status).toBe(200)
    expect(await listTools(tokens.access)).toBe(200)
    expect((await steps.post('revoke', { token: tokens[kind], client_id: tokens.clientId })).status).toBe(200)
    expect(await listTools(tokens.access)).toBe(401)
    expect((await refresh(tokens)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await steps.post('revoke', { token: 'unknown', client_id: tokens.clientId })).status).toBe(200)
  })
})

it('a person has a bounded number of grants, and the least recently used one goes first', async () => {
  const { query, verifier } = steps.request((await steps.register()).clientId, tenant.roomId)
  const { login } = await steps.sendForm(query, await steps.loginOf(tenant.member))
  const exchange = async () => {
    const { location } = await steps.sendForm(query, { login, decision: 'allow' })
    return steps.post('token', {
      grant_type: 'authorization_code',
      code: location?.searchParams.get('code') ?? '',
      client_id: query.client_id,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
  }
  const first = await exchange()
  for (let made = 1; made < 10; made += 1) expect((await exchange()).status).toBe(200)
  const refused = await exchange()
  expect([refused.status, refused.body.error]).toEqual([503, 'temporarily_unavailable'])
  for (let more = 0; more < 2; more += 1) {
    harness.advanceSeconds(121)
    for (let made = 0; made < 8; made += 1) expect((await exchange()).status).toBe(200)
  }
  expect(await grants()).toBe(20)
  expect(
    (await refresh({ clientId: query.client_id, refresh: String(first.body.refresh_token) })).body,
  ).toMatchObject({ error: 'invalid_grant' })
})

it.each([
  ['register', { 'content-type': 'application/json' }, '{"a":'],
  ['token', { 'content-type': 'application/x-www-form-urlencoded' }, ''],
  ['token', { 'content-type': 'text/plain' }, 'x'],
  ['token', { 'content-type': 'application/json' }, '[]'],
  ['revoke', { 'content-type': 'application/x-www-form-urlencoded' }, 'token=1'],
  ['token', { 'content-type': 'application/x-www-form-urlencoded' }, `code=${'x'.repeat(20_000)}`],
])('a broken request to %s gets an error of OAuth', async (path, headers, payload) => {
  const { statusCode, body } = await harness.app.inject({
    method: 'POST',
    url: `/oauth/${path}`,
    headers,
    payload,
  })
  expect(statusCode).toBeLessThan(500)
  expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), error_description: expect.any(String) })
})
