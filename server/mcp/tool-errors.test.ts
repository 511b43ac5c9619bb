import { agentToolErrors } from '@sandbox-jobs/contract/errors/agent-tool-errors.ts'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { AgentHarness, type ToolAnswer } from '../../testing/apps/agent-harness.ts'
import { connectMcp } from '../../testing/apps/mcp-client.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import type { RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { setOperatorPolicy } from '../companies/settings/operator-policy.ts'

/* Every error code of the tools, as a client of the SDK gets it. */

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
let url: string
let tenant: Tenant
let task: RunnableTask

beforeAll(async () => {
  url = await harness.app.listen({ host: '127.0.0.1', port: 0 })
})

const post = () => harness.post(tenant.member, tenant.roomId)
type Turn = Awaited<ReturnType<typeof post>>

async function call(turn: Turn, name: string, parameters: Record<string, unknown>): Promise<ToolAnswer> {
  const headers = { authorization: `Bearer ${turn.turn_context}` }
  const client = await connectMcp([url], { path: '/mcp', headers })
  const { structuredContent, isError } = await client.callTool({ name, arguments: parameters })
  await client.close()
  const answer = structuredContent as ToolAnswer
  expect(isError).toBe(answer.status === 'error')
  return answer
}
const submit = (turn: Turn, fields = {}) =>
  call(turn, 'sandbox_submit_job', {
    mode: 'request',
    task_version_id: task.versionId,
    input: { n: 1 },
    ...fields,
  })
const commit = (turn: Turn, { proposal_receipt }: ToolAnswer) =>
  call(turn, 'sandbox_submit_job', { mode: 'commit', proposal_receipt })
const setProposal = (proposal: ToolAnswer, set: { input?: Buffer; origin_sequence?: number }) =>
  db
    .updateTable('agent_proposals')
    .set(set)
    .where('id', '=', String(proposal.proposal_id))
    .where('company_id', '=', tenant.companyId)
    .execute()

/** Ends the connection of a commit that waits for a row, as a restart of the database does. */
async function commitOverLostConnection(proposal: ToolAnswer): Promise<ToolAnswer> {
  const turn = await post()
  return db.transaction().execute(async (trx) => {
    await sql`select 1 from agent_proposals where id = ${proposal.proposal_id} for update`.execute(trx)
    const answer = commit(turn, proposal)
    for (let ended = 0; ended === 0; ) {
      const { rows } = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ilike '%agent_proposals%'
      `.execute(db)
      ended = rows.length
    }
    return answer
  })
}

const scenarios: Record<keyof typeof agentToolErrors, () => Promise<ToolAnswer>> = {
  unauthorized: async () => submit(await post(), { task_version_id: 'tvr_none' }),
  validation_error: async () => submit(await post(), { mode: 'run' }),
  forged_receipt: async () => commit(await post(), { status: 'ok', proposal_receipt: 'prp_1' }),
  not_found: async () => {
    const proposal = await submit(await post())
    harness.advanceSeconds(601)
    return commit(await post(), proposal)
  },
  confirmation_rejected: async () => {
    const proposal = await submit(await post())
    const headers = await harness.key(tenant.member)
    const path = `/mcp/chatrooms/${tenant.roomId}`
    const client = await connectMcp([url], { path, headers })
    const parameters = { mode: 'commit', proposal_receipt: proposal.proposal_receipt }
    const result = await client.callTool({ name: 'sandbox_submit_job', arguments: parameters })
    await client.close()
    return result.structuredContent as ToolAnswer
  },
  already_committed: async () => {
    const proposal = await submit(await post())
    await commit(await post(), proposal)
    return commit(await post(), proposal)
  },
  proposal_not_pending: async () => call(await post(), 'sandbox_cancel_job', {}),
  same_turn: async () => {
    const turn = await post()
    return commit(turn, await submit(turn))
  },
  not_later: async () => {
    const before = await post()
    return commit(before, await submit(await post()))
  },
  receipt_reused: async () => {
    const proposal = await submit(await post())
    const turn = await post()
    await commit(turn, proposal)
    const second = await submit(await post())
    await setProposal(second, { origin_sequence: 0 })
    return commit(turn, second)
  },
  retryable: async () => commitOverLostConnection(await submit(await post())),
  confirmation_input_unavailable: async () => {
    const proposal = await submit(await post())
    await setProposal(proposal, { input: Buffer.from('{}') })
    return commit(await post(), proposal)
  },
  provider_unavailable: async () => {
    await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { queued_run_limit: 1 })
    const first = await submit(await post())
    await commit(await post(), first)
    const second = await submit(await post())
    return commit(await post(), second)
  },
  internal_error: async () => {
    const turn = await post()
    await db.schema.alterTable('agent_proposals').renameTo('elsewhere').execute()
    try {
      return await call(turn, 'sandbox_submitted_jobs', {})
    } finally {
      await db.schema.alterTable('elsewhere').renameTo('agent_proposals').execute()
    }
  },
}

it.each(Object.entries(scenarios))('%s', async (code, scenario) => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant, { requires_confirmation: true })
  const { status, error, message } = await scenario()
  const words = agentToolErrors[code as keyof typeof agentToolErrors]
  expect([status, error, message]).toEqual(['error', code, expect.stringContaining(words)])
})
