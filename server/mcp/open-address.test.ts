import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { revisions } from '../../testing/apps/mcp-client.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import type { RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { createLog } from '../base/logging.ts'
import { DatabaseLogUpdates } from '../live-logs/log-updates.ts'

const { db, url: databaseUrl } = await createTestDatabase()
const updates = new DatabaseLogUpdates({ url: databaseUrl, log: createLog('test', 'silent') })
const harness = new AgentHarness(db, { logNews: updates })
/** Keeps the connection that listens open. */
const subscription = updates.of('nothing')
let url: string
let tenant: Tenant
let task: RunnableTask
const clients: Client[] = []

beforeAll(async () => {
  url = await harness.app.listen({ host: '127.0.0.1', port: 0 })
})
beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant, { requires_confirmation: true })
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})
afterAll(() => subscription.close())

type Action = 'accept' | 'decline' | 'cancel'

/** A client that can open addresses, and what its person does with each. */
async function connect(
  headers: Record<string, string>,
  open: (address: string) => Promise<Action>,
  { path = `/mcp/chatrooms/${tenant.roomId}`, options = {} }: { path?: string; options?: ClientOptions } = {},
) {
  const client = new Client(
    { name: 'test', version: '1' },
    { ...revisions[0][1], capabilities: { elicitation: { url: {} } }, ...options },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode !== 'url') throw new Error('a form was asked for')
    return { action: await open(params.url) }
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }))
  clients.push(client)
  return client
}
async function submit(client: Client) {
  const parameters = { mode: 'request', task_version_id: task.versionId, input: { n: 1 } }
  const { structuredContent } = await client.callTool({ name: 'sandbox_submit_job', arguments: parameters })
  return structuredContent as Record<string, unknown>
}
const decide = async (address: string, route: 'confirmProposal' | 'rejectProposal') => {
  const params = { pid: new URL(address).pathname.replace('/confirm/', '') }
  const { status } = await harness.send(allRoutes[route], await harness.login(tenant.member), { params })
  expect(status).toBe(200)
}
const proposals = async () =>
  (await db.selectFrom('agent_proposals').select('id').where('company_id', '=', tenant.companyId).execute())
    .length

describe.each(['login', 'key'] as const)('a client that opens addresses, with a %s', (credential) => {
  it('shows its person the page, and its call ends with what they decide', async () => {
    const opened: string[] = []
    const client = await connect(await harness[credential](tenant.member), async (address) => {
      opened.push(address)
      // The person decides while the repeated call waits.
      setTimeout(() => void decide(address, 'confirmProposal'), 300)
      return 'accept'
    })
    const startedAtMs = performance.now()
    const answer = await submit(client)
    expect(answer).toMatchObject({
      status: 'ok',
      kind: 'submitted',
      run_id: expect.stringMatching(/^run_/),
      proposal_id: expect.stringMatching(/^prp_/),
      submission_source: 'agent',
    })
    expect(opened).toEqual([`http://sandbox.test/confirm/${answer.proposal_id}`])
    expect(performance.now() - startedAtMs).toBeLessThan(20_000)
    expect(await proposals()).toBe(1)
  })
})

it('a rejection ends the call without a run', async () => {
  const client = await connect(await harness.key(tenant.member), async (address) => {
    await decide(address, 'rejectProposal')
    return 'accept'
  })
  expect(await submit(client)).toMatchObject({ status: 'error', error: 'proposal_not_pending' })
})

it.each(['decline', 'cancel'] as const)(
  'who does not open the page (%s) has the proposal as before',
  async (action) => {
    const client = await connect(await harness.key(tenant.member), async () => action)
    const answer = await submit(client)
    expect(answer).toMatchObject({
      kind: 'prepared',
      address: `http://sandbox.test/confirm/${answer.proposal_id}`,
      proposal_receipt: expect.any(String),
    })
    expect(await proposals()).toBe(1)
  },
)

it('a client of an earlier revision, or in a turn, gets the address in the result', async () => {
  const opened: string[] = []
  const open = async (address: string) => {
    opened.push(address)
    return 'accept' as const
  }
  const earlier = await connect(await harness.key(tenant.member), open, { options: revisions[1][1] })
  expect(await submit(earlier)).toMatchObject({ kind: 'prepared', address: expect.any(String) })
  const { turn_context } = await harness.post(tenant.member, tenant.roomId)
  const inTurn = await connect({ authorization: `Bearer ${turn_context}` }, open, { path: '/mcp' })
  expect(await submit(inTurn)).toMatchObject({ kind: 'prepared', address: expect.any(String) })
  expect(opened).toEqual([])
})

describe('the state that a client sends back', () => {
  const repeat = async (headers: Record<string, string>, requestState: unknown, roomId = tenant.roomId) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
    }
    const parameters = { mode: 'request', task_version_id: task.versionId, input: { n: 1 } }
    const { body } = await harness.app.inject({
      method: 'POST',
      url: `/mcp/chatrooms/${roomId}`,
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'sandbox_submit_job',
      },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'sandbox_submit_job',
          arguments: parameters,
          _meta,
          ...(requestState !== undefined && {
            requestState,
            inputResponses: { confirm: { action: 'decline' } },
          }),
        },
      },
    })
    return body
  }

  it('is good for its person alone, and cannot be made up', async () => {
    const member = await harness.key(tenant.member)
    const first = JSON.parse(await repeat(member, undefined)) as {
      result: { resultType: string; requestState: string; inputRequests: unknown }
    }
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create', params: { mode: 'url' } } },
    })
    const { requestState } = first.result
    expect(await repeat(member, requestState)).toContain('"kind":"prepared"')
    expect(await repeat(await harness.login(tenant.roomManager), requestState)).toContain(
      '"error":"not_found"',
    )
    const changed = requestState.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
    expect(await repeat(member, changed)).toContain('"error":"forged_receipt"')
    expect(await repeat(member, 'x')).toContain('"error":"forged_receipt"')
    expect(await repeat(member, 5)).toContain('-32602')
    expect(await proposals()).toBe(1)
  })
})
