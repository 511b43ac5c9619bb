import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
const stopped = new AgentHarness(db, { enabled: false, beside: harness })
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
  await harness.offer(tenant)
})

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const spoken = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const roomPath = (id = tenant.roomId) => `/mcp/chatrooms/${id}`

async function send(
  url: string,
  headers: Record<string, string>,
  { body = list, app = harness.app }: { body?: unknown; app?: AgentHarness['app'] } = {},
) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const {
    statusCode,
    headers: answered,
    body: text,
  } = await app.inject({
    method: 'POST',
    url,
    headers: { ...spoken, ...headers },
    payload,
  })
  return { status: statusCode, headers: answered, text, json: () => JSON.parse(text) }
}
const bearer = async () => {
  const { turn_context } = await harness.post(tenant.member, tenant.roomId)
  return { authorization: `Bearer ${turn_context}` }
}

describe('credentials', () => {
  it('are asked for with 401', async () => {
    const wrong = [
      {},
      { authorization: 'Bearer x' },
      await harness.login(tenant.member),
      { 'x-api-key': 'sbx_x' },
    ]
    for (const headers of wrong) {
      const answer = await send('/mcp', headers)
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } })
    }
    expect((await send(roomPath(), {})).status).toBe(401)
    // A turn context is for its own room, at the other address.
    expect((await send(roomPath(), await bearer())).status).toBe(401)
    expect((await send('/mcp', await bearer())).status).toBe(200)
  })

  it('of somebody who may not enter the room find no room', async () => {
    const outsider = (await makeTenant(db)).member
    for (const headers of [await harness.login(outsider), await harness.key(outsider)]) {
      expect((await send(roomPath(), headers)).status).toBe(404)
    }
    const login = await harness.login(tenant.member)
    for (const id of ['roo_none', '%00', 'a%2fb', 'x'.repeat(100)]) {
      expect((await send(roomPath(id), login)).status).toBe(404)
    }
  })

  it('of sandbox scope are refused', async () => {
    expect((await send(roomPath(), await harness.key(tenant.member, [tenant.roomId]))).status).toBe(403)
  })

  it('end with their turn', async () => {
    const late = new AgentHarness(db, { beside: harness })
    const headers = await bearer()
    late.advanceSeconds(601)
    expect((await send('/mcp', headers, { app: late.app })).status).toBe(401)
  })
})

describe('a message', () => {
  it.each([
    ['a batch', [list, list], 400],
    ['broken JSON', '{"a":', 400],
    ['a duplicate key', '{"jsonrpc":"2.0","jsonrpc":"2.0"}', 400],
    ['no JSON-RPC', { hello: 1 }, 400],
    ['nothing', '', 400],
    ['a deep nest', '['.repeat(100), 400],
  ])('that is %s is refused', async (_what, body, status) => {
    const answer = await send('/mcp', await bearer(), { body })
    expect(answer.status).toBe(status)
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })

  it('that is too large is refused before it is read', async () => {
    const body = { ...list, params: { padding: 'x'.repeat(1_200_000) } }
    expect((await send('/mcp', await bearer(), { body })).status).toBe(413)
  })

  it('of another type or method is refused', async () => {
    const headers = { ...(await bearer()), 'content-type': 'text/plain' }
    expect((await send('/mcp', headers)).status).toBe(422)
    for (const method of ['GET', 'DELETE'] as const) {
      const { statusCode, headers } = await harness.app.inject({ method, url: '/mcp' })
      expect([statusCode, headers.allow]).toEqual([405, 'POST, OPTIONS'])
    }
  })

  it('to an unknown method gets an error of the protocol', async () => {
    for (const method of ['prompts/list', 'resources/read', 'sampling/createMessage', 'nonsense']) {
      const answer = await send('/mcp', await bearer(), { body: { ...list, method } })
      expect(answer.text).toContain('-32601')
    }
  })

  it('that would keep a stream open is refused', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const body = {
      ...list,
      method: 'subscriptions/listen',
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    }
    const headers = {
      ...(await bearer()),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    }
    const answer = await send('/mcp', headers, { body })
    expect(answer.text).toContain('Subscription limit reached')
  })

  it('is refused while the sandbox is switched off', async () => {
    expect((await send('/mcp', await bearer(), { app: stopped.app })).status).toBe(503)
  })
})
