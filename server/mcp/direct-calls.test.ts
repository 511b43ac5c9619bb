import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import type { RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'

/* The first call with an envelope is answered by the SDK, the next one without it: both answers are the same. */

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
let tenant: Tenant
let task: RunnableTask
let key: Record<string, string>
let clients = 0

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant)
  key = await harness.key(tenant.member)
  clients += 1
})

interface Sent {
  name?: string
  parameters?: unknown
  headers?: Record<string, string>
  meta?: Record<string, unknown>
  message?: Record<string, unknown>
}

async function call({
  name = 'sandbox_job_menu',
  parameters = {},
  headers = {},
  meta = {},
  message = {},
}: Sent) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    // Another client in each test, whose envelope the SDK has not seen.
    'io.modelcontextprotocol/clientInfo': { name: `client ${clients}`, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  }
  const {
    statusCode,
    headers: answered,
    body,
  } = await harness.app.inject({
    method: 'POST',
    url: `/mcp/chatrooms/${tenant.roomId}`,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...key,
      ...headers,
    },
    payload: {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name, arguments: parameters, _meta },
      ...message,
    },
  })
  return { status: statusCode, type: answered['content-type'], body }
}
const parsed = ({ status, type, body }: Awaited<ReturnType<typeof call>>) => ({
  status,
  type: type?.split(';')[0],
  body: body === '' ? '' : JSON.parse(body),
})

describe('a repeated call is answered as the first one', () => {
  it.each<[string, Sent]>([
    ['of the menu', {}],
    ['of the jobs', { name: 'sandbox_submitted_jobs', parameters: { page_size: 3 } }],
    ['with a text as id', { message: { id: 'seven' } }],
    ['with wrong parameters', { parameters: { page_size: 'x' } }],
    ['of an unknown run', { name: 'sandbox_job_status', parameters: { run_id: 'run_x' } }],
    ['of an unknown tool', { name: 'no_such_tool' }],
    ['with parameters that are a list', { parameters: [] }],
    ['without an id', { message: { id: undefined } }],
    ['with a broken id', { message: { id: 1.5 } }],
    ['with a further field', { message: { more: 1 } }],
    ['with another name in its header', { headers: { 'mcp-name': 'sandbox_submit_job' } }],
    ['with another method in its header', { headers: { 'mcp-method': 'tools/list' } }],
    ['of another revision', { headers: { 'mcp-protocol-version': '2031-01-01' } }],
    ['that accepts nothing', { headers: { accept: 'text/html' } }],
    ['with a client without a name', { meta: { 'io.modelcontextprotocol/clientInfo': { version: 1 } } }],
    ['with broken capabilities', { meta: { 'io.modelcontextprotocol/clientCapabilities': { roots: 5 } } }],
    ['without capabilities', { meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } }],
    ['with a progress token', { meta: { progressToken: 'p' } }],
    ['with a session', { headers: { 'mcp-session-id': 'x' } }],
  ])('%s', async (_what, sent) => {
    // A refused call never makes an envelope known; a good call of the same client does.
    const first = await call(sent)
    await call({})
    for (let more = 0; more < 2; more += 1) {
      const again = await call(sent)
      if (first.type?.startsWith('application/json')) expect(parsed(again)).toEqual(parsed(first))
      else expect(again).toEqual(first)
    }
  })
})

it('a repeated call submits, and its credentials are checked each time', async () => {
  const submit = {
    name: 'sandbox_submit_job',
    parameters: { mode: 'request', task_version_id: task.versionId, input: {} },
  }
  const ids = new Set<string>()
  for (let sent = 0; sent < 3; sent += 1) {
    const { body } = await call(submit)
    ids.add(
      (JSON.parse(body) as { result: { structuredContent: { run_id: string } } }).result.structuredContent
        .run_id,
    )
  }
  expect(ids.size).toBe(3)
  const runs = db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId)
  expect((await runs.execute()).map(({ id }) => id).toSorted()).toEqual([...ids].toSorted())
  // Only answers without the SDK name their encoding.
  expect((await call({})).type).toBe('application/json; charset=utf-8')
  expect((await call({ headers: { 'x-api-key': 'sbx_x' } })).status).toBe(401)
  await db.deleteFrom('chatroom_members').where('user_id', '=', tenant.member.principalId).execute()
  expect((await call({})).status).toBe(404)
})
