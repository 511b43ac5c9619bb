import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { agentIdentityProviderOf, identityProviderOf } from '../access/authentication/identity-provider.ts'
import { createLog } from '../base/logging.ts'

/* Agents that log in at the identity provider of the operator. */

const { db } = await createTestDatabase()
const tenant = await makeTenant(db)
const issuer = 'https://people.example'
const pair = await generateKeyPair('ES256')
const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }]
const keyServer = createServer((_, response) => response.end(JSON.stringify({ keys })))
await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
const config = {
  jwtIssuer: issuer,
  jwtJwksUrl: `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/keys`,
  jwtAudience: 'people',
  jwtMcpAudience: 'agents',
  jwtLoginClaim: 'sub',
}
const parts = { clock: { now: () => new Date() }, log: createLog('test', 'silent') }
const people = identityProviderOf(config, parts)
const agents = agentIdentityProviderOf(config, parts)
if (!agents) throw new Error('no identity provider')
const harness = new AgentHarness(db, { agentIdentityProvider: agents })
let login = ''

beforeAll(async () => {
  await harness.offer(tenant)
  const member = db.selectFrom('users').select('login').where('id', '=', tenant.member.principalId)
  login = (await member.executeTakeFirstOrThrow()).login
})
afterAll(() => keyServer.close())

const token = (audience: string | string[], subject = login) =>
  new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setExpirationTime('5m')
    .sign(pair.privateKey)
const list = async (bearer: string) =>
  harness.app.inject({
    method: 'POST',
    url: `/mcp/chatrooms/${tenant.roomId}`,
    headers: { authorization: `Bearer ${bearer}`, accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })

it('clients are sent to it, and its tokens for agents call the tools', async () => {
  const { headers, statusCode } = await list('x')
  expect([statusCode, headers['www-authenticate']]).toEqual([
    401,
    expect.stringMatching(/^Bearer resource_metadata="[^"]+", error="invalid_token"$/),
  ])
  const url = `/.well-known/oauth-protected-resource/mcp/chatrooms/${tenant.roomId}`
  const metadata = (await harness.app.inject({ method: 'GET', url })).json()
  expect(metadata).toMatchObject({ authorization_servers: [issuer] })
  expect(metadata.scopes_supported).toBeUndefined()
  for (const path of ['/.well-known/oauth-authorization-server', '/oauth/authorize'])
    expect((await harness.app.inject({ method: 'GET', url: path })).statusCode).toBe(404)
  const listed = await list(await token('agents'))
  expect([listed.statusCode, listed.body]).toEqual([200, expect.stringContaining('sandbox_submit_job')])
})

it('a token is for people or for agents, never for both', async () => {
  expect(await people?.login(await token('people'))).toBe(login)
  expect(await agents.login(await token('agents'))).toBe(login)
  for (const provider of [people, agents])
    expect(await provider?.login(await token(['people', 'agents']))).toBeUndefined()
  expect(await people?.login(await token('agents'))).toBeUndefined()
  expect((await list(await token(['people', 'agents']))).statusCode).toBe(401)
  expect((await list(await token('agents', 'nobody'))).statusCode).toBe(401)
})

it('without an audience for agents none is configured', () => {
  expect(agentIdentityProviderOf({ ...config, jwtMcpAudience: undefined }, parts)).toBeUndefined()
})
