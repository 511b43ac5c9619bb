import type { PostedMessage } from '@sandbox-jobs/contract/resources/agents/message.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import type { RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { Directory } from '../../access/directory/directory.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { confirmProposal } from './decide-proposal.ts'
import { PendingProposals } from './own-proposals.ts'
import type { ProposalDeps } from './prepare-proposal.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant, { requires_confirmation: true })
})

const post = (person = tenant.member) => harness.post(person, tenant.roomId)
async function propose(input: unknown = { day: 'Monday' }) {
  const body = { mode: 'request', task_version_id: task.versionId, input }
  const { proposal_id, proposal_receipt } = await harness.tool(await post(), 'sandbox_submit_job', body)
  return { pid: String(proposal_id), receipt: String(proposal_receipt) }
}
const send = async (route: Route, pid: string, person = tenant.member) => {
  const { status, body } = await harness.send(route, await harness.login(person), { params: { pid } })
  return { status, body, code: (body.detail as { code?: string } | undefined)?.code }
}
const confirm = (pid: string, person = tenant.member) => send(allRoutes.confirmProposal, pid, person)
const countOf = async (name: 'runs' | 'room_messages') =>
  (await db.selectFrom(name).select('id').where('company_id', '=', tenant.companyId).execute()).length

it('a proposal is listed without reading its input', async () => {
  const { pid } = await propose()
  const [pending] = await new PendingProposals({ db, clock: harness.clock }).of(tenant.member)
  expect(pending?.id).toBe(pid)
  expect(pending).not.toHaveProperty('input')
})

describe('a person', () => {
  it('lists, reads and confirms a proposal with a message of their own', async () => {
    const { pid } = await propose()
    const headers = await harness.login(tenant.member)
    const list = await harness.send(allRoutes.listProposals, headers)
    expect((list.body.items as { id: string }[]).map(({ id }) => id)).toEqual([pid])
    const read = await send(allRoutes.readProposal, pid)
    expect(read.body).toMatchObject({ id: pid, state: 'prepared', run_id: null, ended_at: null })
    const summary = String(read.body.summary)
    expect(summary).toContain(task.taskId)
    expect(summary).toContain(task.versionId)
    expect(summary).toContain('{"day":"Monday"}')
    expect(summary).toContain('It may write its own result, log and files.')
    const confirmed = await confirm(pid)
    expect([confirmed.status, confirmed.body]).toEqual([
      200,
      expect.objectContaining({ state: 'committed', run_id: expect.stringMatching(/^run_/) }),
    ])
    const row = await db
      .selectFrom('agent_proposals')
      .innerJoin('room_messages', 'room_messages.id', 'agent_proposals.turn_message_id')
      .select(['room_messages.principal_id', 'room_messages.sequence', 'origin_sequence'])
      .where('agent_proposals.id', '=', pid)
      .where('agent_proposals.company_id', '=', tenant.companyId)
      .executeTakeFirstOrThrow()
    expect(row.principal_id).toBe(tenant.member.principalId)
    expect(row.sequence).toBeGreaterThan(row.origin_sequence)
    expect((await harness.send(allRoutes.listProposals, headers)).body.items).toEqual([])
    expect((await confirm(pid)).code).toBe('proposal_already_committed')
    expect((await send(allRoutes.rejectProposal, pid)).code).toBe('proposal_already_committed')
    expect(await countOf('runs')).toBe(1)
  })

  it('rejects a proposal, which then starts nothing', async () => {
    const { pid, receipt } = await propose()
    expect((await send(allRoutes.rejectProposal, pid)).body).toMatchObject({
      state: 'cancelled',
      run_id: null,
    })
    expect((await confirm(pid)).code).toBe('proposal_not_pending')
    expect((await send(allRoutes.rejectProposal, pid)).code).toBe('proposal_not_pending')
    const commit = { mode: 'commit', proposal_receipt: receipt }
    expect(await harness.tool(await post(), 'sandbox_submit_job', commit)).toMatchObject({
      error: 'proposal_not_pending',
    })
    expect(await countOf('runs')).toBe(0)
  })

  it('does not find the proposal of somebody else, nor their own without the room', async () => {
    const { pid } = await propose()
    const others = [tenant.roomManager, tenant.companyManager, (await makeTenant(db)).member]
    for (const other of others) {
      for (const route of [allRoutes.readProposal, allRoutes.confirmProposal, allRoutes.rejectProposal]) {
        expect((await send(route, pid, other)).code).toBe('not_found')
      }
    }
    await db.deleteFrom('chatroom_members').where('user_id', '=', tenant.member.principalId).execute()
    expect((await confirm(pid)).code).toBe('not_found')
    const list = await harness.send(allRoutes.listProposals, await harness.login(tenant.member))
    expect(list.body.items).toEqual([])
    expect(await countOf('runs')).toBe(0)
  })
})

describe('a confirmation', () => {
  it('has one winner among many, by route and by tool', async () => {
    const { pid, receipt } = await propose()
    const turn = await post()
    const messages = await countOf('room_messages')
    const commit = { mode: 'commit', proposal_receipt: receipt }
    const [byTool, ...byRoute] = await Promise.all([
      harness.tool(turn, 'sandbox_submit_job', commit),
      ...Array.from({ length: 8 }, () => confirm(pid)),
    ])
    const won = byRoute.filter(({ status }) => status === 200)
    const isByTool = byTool.status === 'ok'
    expect(won).toHaveLength(isByTool ? 0 : 1)
    const codes = new Set(byRoute.flatMap(({ code }) => code ?? []))
    expect(codes).toEqual(new Set(['proposal_already_committed']))
    expect(await countOf('runs')).toBe(1)
    // Only the winner posted a message.
    expect(await countOf('room_messages')).toBe(messages + won.length)
  })

  it('needs a person: a token that they granted a program confirms nothing', async () => {
    const { pid } = await propose()
    const deps = { db, directory: new Directory(db), clock: harness.clock } as unknown as ProposalDeps
    await expect(confirmProposal(deps, { ...tenant.member, isAgent: true }, pid)).rejects.toMatchObject({
      code: 'confirmation_needs_login',
    })
  })

  it('needs a login: an API key of the person confirms nothing, by route or by a message', async () => {
    const { pid, receipt } = await propose()
    const key = await harness.key(tenant.member)
    const list = await harness.send(allRoutes.listProposals, key)
    expect(list.body.items).toHaveLength(1)
    const refused = await harness.send(allRoutes.confirmProposal, key, { params: { pid } })
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { detail: { code: 'confirmation_needs_login' } },
    ])
    const params = { cid: tenant.roomId }
    const message = await harness.send(allRoutes.postMessage, key, { params, body: { text: 'Yes.' } })
    const turn = message.body as unknown as PostedMessage
    const commit = { mode: 'commit', proposal_receipt: receipt }
    expect(await harness.tool(turn, 'sandbox_submit_job', commit)).toMatchObject({
      error: 'confirmation_rejected',
      message: expect.stringContaining('API key'),
    })
    expect(await countOf('runs')).toBe(0)
    expect((await confirm(pid)).status).toBe(200)
  })

  it('of a person who was dismissed while the input was checked starts nothing', async () => {
    const { pid } = await propose()
    const disabled = { disabled_at: new Date() }
    await db.updateTable('users').set(disabled).where('id', '=', tenant.member.principalId).execute()
    const messages = await countOf('room_messages')
    // This API takes the person as authenticated before.
    const answer = await new TestApi(db).call(allRoutes.confirmProposal, tenant.member, { params: { pid } })
    expect(answer.status).toBe(418)
    expect([await countOf('runs'), await countOf('room_messages')]).toEqual([0, messages])
  })

  it('of an expired proposal is refused before and after the sweep', async () => {
    const late = new AgentHarness(db)
    const { pid } = await propose()
    late.advanceSeconds(1801)
    const headers = await late.login(tenant.member)
    const answer = await late.send(allRoutes.confirmProposal, headers, { params: { pid } })
    expect(answer.body).toMatchObject({ detail: { code: 'proposal_expired' } })
    const read = await late.send(allRoutes.readProposal, headers, { params: { pid } })
    expect(read.body).toMatchObject({ state: 'expired' })
    expect((await late.send(allRoutes.listProposals, headers)).body.items).toEqual([])
  })

  it('that the queue refuses posts no message, and the proposal stays', async () => {
    await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { queued_run_limit: 1 })
    const first = await propose()
    expect((await confirm(first.pid)).status).toBe(200)
    const { pid } = await propose()
    const messages = await countOf('room_messages')
    expect((await confirm(pid)).code).toBe('sandbox_queued_run_limit')
    expect(await countOf('room_messages')).toBe(messages)
    expect((await send(allRoutes.readProposal, pid)).body).toMatchObject({ state: 'prepared' })
  })

  it('of a task that left the menu ends the proposal', async () => {
    const { pid } = await propose()
    await db
      .updateTable('bindings')
      .set({ state: 'revoked', revoked_at: new Date() })
      .where('task_id', '=', task.taskId)
      .where('company_id', '=', tenant.companyId)
      .execute()
    expect((await confirm(pid)).code).toBe('version_not_runnable')
    expect((await send(allRoutes.readProposal, pid)).body).toMatchObject({ state: 'failed' })
    expect((await confirm(pid)).code).toBe('proposal_not_pending')
  })

  it('shows hidden characters and a cut of what it starts', async () => {
    const { pid } = await propose({ text: `\u202econfirm this \u001b[2J${'x'.repeat(5000)}` })
    const summary = String((await send(allRoutes.readProposal, pid)).body.summary)
    expect(summary).toContain('\\u{202e}confirm this')
    for (const hidden of ['\u202e', '\u001b']) expect(summary).not.toContain(hidden)
    expect(summary).toMatch(/\[cut: 2000 of \d+ characters are shown\]$/)
  })
})
