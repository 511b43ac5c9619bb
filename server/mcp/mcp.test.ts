import type { Client } from '@modelcontextprotocol/client'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../testing/apps/agent-harness.ts'
import { connectMcp, revisions } from '../../testing/apps/mcp-client.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import type { RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
const replica = new AgentHarness(db, { beside: harness })
let urls: string[]
let tenant: Tenant
let task: RunnableTask
const clients: Client[] = []

beforeAll(async () => {
  const address = { host: '127.0.0.1', port: 0 }
  urls = [await harness.app.listen(address), await replica.app.listen(address)]
})
beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant)
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})

async function connect(
  path: string,
  headers: Record<string, string>,
  options?: Parameters<typeof connectMcp>[2],
) {
  const client = await connectMcp(urls, { path, headers }, options)
  clients.push(client)
  return client
}
const bearer = async () => {
  const { turn_context } = await harness.post(tenant.member, tenant.roomId)
  return { authorization: `Bearer ${turn_context}` }
}
const roomPath = () => `/mcp/chatrooms/${tenant.roomId}`
const request = (fields = {}) => ({
  mode: 'request',
  task_version_id: task.versionId,
  input: { n: 1 },
  ...fields,
})
const call = async (client: Client, name: string, parameters: Record<string, unknown> = {}) => {
  const result = await client.callTool({ name, arguments: parameters })
  const [text] = result.content as { type: string; text: string }[]
  // Structured and text are the same.
  expect(JSON.parse(text?.text ?? '')).toEqual(result.structuredContent)
  expect(result.isError).toBe((result.structuredContent as { status: string }).status === 'error')
  return result.structuredContent as Record<string, unknown>
}

describe.each(revisions)('a client of the SDK that speaks %s', (revision, options) => {
  it('lists and calls the five tools at several replicas', async () => {
    const client = await connect('/mcp', await bearer(), options)
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'sandbox_job_menu',
      'sandbox_submit_job',
      'sandbox_submitted_jobs',
      'sandbox_job_status',
      'sandbox_cancel_job',
    ])
    for (const { description, annotations, inputSchema, outputSchema } of tools) {
      expect(description?.length).toBeLessThan(300)
      expect(annotations).toMatchObject({ title: expect.any(String), readOnlyHint: expect.any(Boolean) })
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    }
    const menu = await call(client, 'sandbox_job_menu')
    expect(menu).toEqual(
      await harness.tool(await harness.post(tenant.member, tenant.roomId), 'sandbox_job_menu'),
    )
    const submitted = await call(client, 'sandbox_submit_job', request())
    expect(submitted).toMatchObject({ status: 'ok', kind: 'submitted', submission_source: 'agent' })
    const status = await call(client, 'sandbox_job_status', { run_id: submitted.run_id })
    expect(status).toMatchObject({
      run: { status: 'queued' },
      next_step: expect.stringContaining('wait_seconds'),
    })
    expect(await call(client, 'sandbox_submitted_jobs')).toMatchObject({
      runs: [{ run_id: submitted.run_id }],
    })
    expect(await call(client, 'sandbox_cancel_job', { run_id: submitted.run_id })).toMatchObject({
      kind: 'cancel_requested',
    })
  })

  it('takes an input as large as REST does', async () => {
    const client = await connect('/mcp', await bearer(), options)
    const text = 'x'.repeat(1_000_000)
    expect(await call(client, 'sandbox_submit_job', request({ input: { text } }))).toMatchObject({
      status: 'ok',
    })
    const tooLarge = await call(
      client,
      'sandbox_submit_job',
      request({ input: { text: `${text}${text.slice(0, 50_000)}` } }),
    )
    expect(tooLarge).toMatchObject({ error: 'validation_error' })
  })
})

describe('a turn over MCP', () => {
  it('proposes, and a later turn commits', async () => {
    task = await harness.offer(tenant, { requires_confirmation: true })
    const first = await connect('/mcp', await bearer())
    const proposed = await call(first, 'sandbox_submit_job', request())
    expect(proposed).toMatchObject({
      kind: 'prepared',
      address: `http://sandbox.test/confirm/${proposed.proposal_id}`,
      next_step: expect.stringContaining('mode "commit"'),
    })
    const receipt = { mode: 'commit', proposal_receipt: proposed.proposal_receipt }
    expect(await call(first, 'sandbox_submit_job', receipt)).toMatchObject({ error: 'same_turn' })
    const later = await connect('/mcp', await bearer())
    expect(await call(later, 'sandbox_submit_job', receipt)).toMatchObject({ kind: 'submitted' })
  })

  it('has no tools where the room loads none', async () => {
    const client = await connect('/mcp', await bearer())
    await db.updateTable('chatrooms').set({ jobs: [] }).where('id', '=', tenant.roomId).execute()
    expect((await client.listTools()).tools).toEqual([])
    await expect(client.callTool({ name: 'sandbox_job_menu', arguments: {} })).rejects.toThrow('no such tool')
  })
})

describe('a person in a room over MCP', () => {
  it.each(['login', 'key'] as const)('submits with a %s what needs no confirmation', async (credential) => {
    const client = await connect(roomPath(), await harness[credential](tenant.member))
    expect(await call(client, 'sandbox_submit_job', request())).toMatchObject({ kind: 'submitted' })
  })

  it.each(['login', 'key'] as const)('can propose but not confirm with a %s', async (credential) => {
    task = await harness.offer(tenant, { requires_confirmation: true })
    const client = await connect(roomPath(), await harness[credential](tenant.member))
    const proposed = await call(client, 'sandbox_submit_job', request())
    expect(proposed).toMatchObject({
      kind: 'prepared',
      next_step: expect.stringContaining('Only they can confirm, at the address'),
    })
    const receipt = { mode: 'commit', proposal_receipt: proposed.proposal_receipt }
    expect(await call(client, 'sandbox_submit_job', receipt)).toMatchObject({
      error: 'confirmation_rejected',
    })
    const confirmed = await harness.send(allRoutes.confirmProposal, await harness.login(tenant.member), {
      params: { pid: String(proposed.proposal_id) },
    })
    const listed = await call(client, 'sandbox_submitted_jobs')
    expect(listed.runs).toMatchObject([{ run_id: confirmed.body.run_id }])
  })
})
