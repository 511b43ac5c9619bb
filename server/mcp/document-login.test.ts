import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { OAuthTestClient } from '../../testing/apps/oauth-test-client.ts'
import { OAuthSteps, redirectUri } from '../../testing/apps/steps/oauth-steps.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { startHookServer } from '../../testing/hook-server.ts'
import { reachableBy } from '../base/guarded-requests/reachable-addresses.ts'
import { freePort } from '../postgres/free-port.ts'

/* Clients that are described by a document at their id, and are not registered. */

const server = await startHookServer()
afterAll(() => server.close())
const { db } = await createTestDatabase()
const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const harness = new AgentHarness(db, {
  baseUrl,
  documentFetching: {
    isReachable: reachableBy(['127.0.0.1/32']),
    resolve: async () => ['127.0.0.1'],
    timeoutMs: 1000,
    ca: server.ca,
  },
})
await harness.app.listen({ host: '127.0.0.1', port })
const steps = new OAuthSteps(db, harness, baseUrl)
const clientId = server.url('/client.json')
const { host } = new URL(clientId)
let tenant: Tenant
let document: object | undefined

beforeEach(async () => {
  server.posts.length = 0
  tenant = await makeTenant(db)
  await harness.offer(tenant)
  document = { client_id: clientId, client_name: 'Described <b>', redirect_uris: [redirectUri] }
  server.answers['/client.json'] = (response) =>
    response
      .writeHead(document ? 200 : 404, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(document))
  // A document that an earlier test kept is not fresh any more.
  harness.advanceSeconds(61)
})

const query = () => steps.request(clientId, tenant.roomId).query

it('a client of the SDK with a document logs its person in, and refreshes without it', async () => {
  const provider = new OAuthTestClient({ clientMetadataUrl: clientId })
  const address = new URL(`${baseUrl}/mcp/chatrooms/${tenant.roomId}`)
  const transport = () => new StreamableHTTPClientTransport(address, { authProvider: provider })
  const first = transport()
  await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow(UnauthorizedError)
  expect(provider.opened?.searchParams.get('client_id')).toBe(clientId)
  const { location } = await steps.decide(
    Object.fromEntries(provider.opened?.searchParams ?? []),
    tenant.member,
  )
  document = undefined
  await first.finishAuth(location?.searchParams ?? new URLSearchParams())
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport())
  expect((await client.listTools()).tools).toHaveLength(5)
  const before = provider.kept
  harness.advanceSeconds(601)
  expect((await client.listTools()).tools).toHaveLength(5)
  expect(provider.kept?.access_token).not.toBe(before?.access_token)
  await client.close()
})

describe('the page', () => {
  it('names the host of the document, and asks for the document only after a login', async () => {
    const page = await steps.page(query())
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain(host)
    expect((await steps.sendForm(query(), { username: 'nobody', password: 'wrong' })).status).toBe(401)
    expect((await steps.sendForm(query(), await steps.loginOf(tenant.stranger))).status).toBe(404)
    expect(server.posts).toEqual([])
    const consent = await steps.sendForm(query(), await steps.loginOf(tenant.member))
    expect(consent.status).toBe(200)
    for (const text of [host, 'Described &lt;b&gt;', 'a program on this computer', 'could claim to be of'])
      expect(consent.body).toContain(text)
    expect(server.posts).toHaveLength(1)
  })

  it.each<[string, object | undefined]>([
    ['is not there', undefined],
    ['is of another client', { client_id: `${clientId}x`, redirect_uris: [redirectUri] }],
    ['does not list the address', { client_id: clientId, redirect_uris: [`${redirectUri}/x`] }],
  ])('redirects nowhere if the document %s', async (_what, changed) => {
    document = changed
    const { status, headers, body } = await steps.sendForm(query(), await steps.loginOf(tenant.member))
    expect([status, headers.location]).toEqual([400, undefined])
    expect(body).toContain('role="alert"')
  })

  it('allows nothing by a password that is changed while the document is fetched', async () => {
    const asked = query()
    const answer = server.answers['/client.json']
    const changePassword = db
      .updateTable('users')
      .set(({ eb }) => ({ credential_generation: eb('credential_generation', '+', 1) }))
      .where('id', '=', tenant.member.principalId)
    server.answers['/client.json'] = (response, post) =>
      void changePassword.execute().then(() => answer?.(response, post))
    const { status, login } = await steps.sendForm(asked, await steps.loginOf(tenant.member))
    expect(status).toBe(200)
    expect((await steps.sendForm(asked, { login, decision: 'allow' })).status).toBe(401)
  })

  it('redirects nowhere if the document changes before the decision', async () => {
    const asked = query()
    const { login } = await steps.sendForm(asked, await steps.loginOf(tenant.member))
    document = { ...document, redirect_uris: ['https://other.example/'] }
    harness.advanceSeconds(61)
    const { status, headers } = await steps.sendForm(asked, { login, decision: 'allow' })
    expect([status, headers.location]).toEqual([400, undefined])
  })
})

it('the metadata of the server says that documents are supported', async () => {
  const { json } = await harness.app.inject({ method: 'GET', url: '/.well-known/oauth-authorization-server' })
  expect(json()).toMatchObject({
    client_id_metadata_document_supported: true,
    registration_endpoint: expect.any(String),
  })
})
