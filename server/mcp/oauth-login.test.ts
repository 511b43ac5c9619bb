import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { OAuthTestClient } from '../../testing/apps/oauth-test-client.ts'
import { OAuthSteps } from '../../testing/apps/steps/oauth-steps.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { freePort } from '../postgres/free-port.ts'

/* The whole login of an unmodified client of the SDK, over a real connection. */

const { db } = await createTestDatabase()
const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const harness = new AgentHarness(db, { baseUrl })
const steps = new OAuthSteps(db, harness, baseUrl)
let tenant: Tenant

beforeAll(async () => {
  await harness.app.listen({ host: '127.0.0.1', port })
})
beforeEach(async () => {
  tenant = await makeTenant(db)
  await harness.offer(tenant)
})

it('a client registers, logs its person in, calls tools, refreshes, and cannot confirm', async () => {
  const provider = new OAuthTestClient()
  const address = new URL(`${baseUrl}/mcp/chatrooms/${tenant.roomId}`)
  const transport = () => new StreamableHTTPClientTransport(address, { authProvider: provider })
  const newClient = () => new Client({ name: 'test', version: '1' })
  const first = transport()
  await expect(newClient().connect(first)).rejects.toThrow(UnauthorizedError)
  expect(provider.opened?.href).toMatch(new RegExp(`^${baseUrl}/oauth/authorize\\?`))
  const query = Object.fromEntries(provider.opened?.searchParams ?? [])
  const { location } = await steps.decide(query, tenant.member)
  expect(location?.searchParams.get('state')).toBe('state of the client')
  await first.finishAuth(location?.searchParams ?? new URLSearchParams())

  const client = newClient()
  await client.connect(transport())
  expect((await client.listTools()).tools).toHaveLength(5)
  const { versionId } = await harness.offer(tenant, { requires_confirmation: true })
  const call = (parameters: Record<string, unknown>) =>
    client.callTool({ name: 'sandbox_submit_job', arguments: parameters })
  const proposed = await call({ mode: 'request', task_version_id: versionId, input: {} })
  const { kind, proposal_receipt } = proposed.structuredContent as Record<string, unknown>
  expect(kind).toBe('prepared')
  expect((await call({ mode: 'commit', proposal_receipt })).structuredContent).toMatchObject({
    error: 'confirmation_rejected',
  })

  // The access token is over: the client refreshes by itself.
  const before = provider.kept
  harness.advanceSeconds(601)
  expect((await client.listTools()).tools).toHaveLength(5)
  expect(provider.kept?.access_token).not.toBe(before?.access_token)
  expect(provider.kept?.refresh_token).not.toBe(before?.refresh_token)
  expect(provider.registrations).toBe(1)
  await client.close()

  // Its person has a new password: it has to ask again.
  await db
    .updateTable('users')
    .set({ credential_generation: 2 })
    .where('id', '=', tenant.member.principalId)
    .execute()
  provider.opened = undefined
  await expect(newClient().connect(transport())).rejects.toThrow(UnauthorizedError)
  expect(provider.opened).toBeDefined()
})
