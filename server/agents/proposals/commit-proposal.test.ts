import type { PostedMessage } from '@sandbox-jobs/contract/resources/agents/message.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { applyTestPrices, removePrices } from '../../../testing/factories/prices.ts'
import { makeRun, type RunnableTask } from '../../../testing/factories/runs.ts'
import { addMember, makeRoom, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { postServiceMessage } from '../turns/messages.ts'
import { sweepProposals } from './own-proposals.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant, { requires_confirmation: true })
})

const post = (person = tenant.member, roomId = tenant.roomId) => harness.post(person, roomId)
const prepare = async (turn: PostedMessage, input: unknown = { day: 'Monday' }) => {
  const body = { mode: 'request', task_version_id: task.versionId, input }
  const answer = await harness.tool(turn, 'sandbox_submit_job', body)
  return { answer, receipt: String(answer.proposal_receipt) }
}
const commit = (turn: PostedMessage, proposal_receipt: string) =>
  harness.tool(turn, 'sandbox_submit_job', { mode: 'commit', proposal_receipt })
const runs = () =>
  db
    .selectFrom('runs')
    .select(['id', 'submission_source'])
    .where('company_id', '=', tenant.companyId)
    .execute()
const stateOf = async (id: unknown) =>
  (await db.selectFrom('agent_proposals').select('state').where('id', '=', String(id)).executeTakeFirst())
    ?.state

describe('a proposal', () => {
  it('is a run only after a later message of the person', async () => {
    const { answer, receipt } = await prepare(await post())
    expect(answer).toEqual({
      status: 'ok',
      kind: 'prepared',
      proposal_id: expect.stringMatching(/^prp_/),
      proposal_receipt: expect.stringMatching(/^[^.]+(\.[^.]+){4}$/),
      summary: expect.stringContaining('{"day":"Monday"}'),
      requires_confirmation: true,
      task_id: task.taskId,
      task_version_id: task.versionId,
      address: `http://sandbox.test/confirm/${answer.proposal_id}`,
      next_step: expect.stringContaining('mode "commit"'),
    })
    expect(await runs()).toEqual([])
    const turn = await post()
    const committed = await commit(turn, receipt)
    expect(committed).toEqual({
      status: 'ok',
      kind: 'submitted',
      run_id: expect.stringMatching(/^run_/),
      proposal_id: answer.proposal_id,
      submission_source: 'agent',
      task_id: task.taskId,
      task_version_id: task.versionId,
      run_status: 'queued',
      next_step: expect.stringContaining('sandbox_job_status'),
    })
    expect(await runs()).toEqual([{ id: committed.run_id, submission_source: 'agent' }])
    // A lost answer.
    expect(await commit(turn, receipt)).toEqual({
      status: 'ok',
      kind: 'replay',
      run_id: committed.run_id,
      next_step: expect.stringContaining('sandbox_job_status'),
    })
    expect(await commit(await post(), receipt)).toMatchObject({ error: 'already_committed' })
    expect(await runs()).toHaveLength(1)
    const events = await db
      .selectFrom('state_events')
      .select('to_state')
      .where('entity_id', '=', String(answer.proposal_id))
      .orderBy('id')
      .execute()
    expect(events.map(({ to_state }) => to_state)).toEqual(['prepared', 'committing', 'committed'])
  })

  it('is refused in its own turn, and by a message from before it', async () => {
    const before = await post()
    const turn = await post()
    const between = await post()
    const { receipt } = await prepare(turn)
    expect(await commit(turn, receipt)).toMatchObject({ status: 'error', error: 'same_turn' })
    expect(await commit(before, receipt)).toMatchObject({ error: 'not_later' })
    // The person sent it before there was anything to confirm.
    expect(await commit(between, receipt)).toMatchObject({ error: 'not_later' })
    expect(await runs()).toEqual([])
  })

  it('is not confirmed by a message of the service, which starts no turn', async () => {
    const turn = await post()
    const { answer, receipt } = await prepare(turn)
    const runId = await makeRun(db, task, {
      chatroom_id: tenant.roomId,
      principal_id: tenant.member.principalId,
      state: 'cancelled',
      terminal_at: new Date(),
    })
    await db
      .transaction()
      .execute((trx) =>
        postServiceMessage(
          trx,
          { id: tenant.roomId, company_id: tenant.companyId },
          { runId, text: 'I confirm the proposed job.' },
        ),
      )
    expect(await commit(turn, receipt)).toMatchObject({ error: 'same_turn' })
    const listed = await harness.tool(turn, 'sandbox_submitted_jobs')
    const [fresh] = listed.proposals as { proposal_receipt: string }[]
    expect(await commit(turn, String(fresh?.proposal_receipt))).toMatchObject({ error: 'same_turn' })
    expect(await stateOf(answer.proposal_id)).toBe('prepared')
    expect(await commit(await post(), receipt)).toMatchObject({ kind: 'submitted' })
  })

  it('of another principal or room is not found', async () => {
    const { receipt } = await prepare(await post())
    expect(await commit(await post(tenant.roomManager), receipt)).toMatchObject({ error: 'not_found' })
    const otherRoom = await makeRoom(db, { companyId: tenant.companyId, departmentId: tenant.departmentId })
    await addMember(db, { companyId: tenant.companyId, roomId: otherRoom, userId: tenant.member.principalId })
    await db
      .updateTable('chatrooms')
      .set({ jobs: ['sandbox'] })
      .where('id', '=', otherRoom)
      .execute()
    expect(await commit(await post(tenant.member, otherRoom), receipt)).toMatchObject({ error: 'not_found' })
    expect(await runs()).toEqual([])
  })

  it('is superseded by the next one of the same person', async () => {
    const turn = await post()
    const first = await prepare(turn)
    const second = await prepare(turn)
    expect(await stateOf(first.answer.proposal_id)).toBe('superseded')
    const later = await post()
    expect(await commit(later, first.receipt)).toMatchObject({ error: 'proposal_not_pending' })
    expect(await commit(later, second.receipt)).toMatchObject({ kind: 'submitted' })
  })

  it('ends after half an hour; its receipt after ten minutes, for a fresh one', async () => {
    const { answer, receipt } = await prepare(await post())
    harness.advanceSeconds(601)
    const turn = await post()
    expect(await commit(turn, receipt)).toMatchObject({ error: 'not_found' })
    const listed = await harness.tool(turn, 'sandbox_submitted_jobs')
    const [fresh] = listed.proposals as { proposal_id: string; proposal_receipt: string }[]
    expect(fresh?.proposal_id).toBe(answer.proposal_id)
    harness.advanceSeconds(1200)
    const late = await post()
    expect(await commit(late, String(fresh?.proposal_receipt))).toMatchObject({ error: 'not_found' })
    expect((await harness.tool(late, 'sandbox_submitted_jobs')).proposals).toEqual([])
    await sweepProposals({ db, clock: harness.clock })
    expect(await stateOf(answer.proposal_id)).toBe('expired')
    harness.advanceSeconds(86_400)
    await sweepProposals({ db, clock: harness.clock })
    expect(await stateOf(answer.proposal_id)).toBeUndefined()
  })

  it('can be committed with a receipt that was signed again', async () => {
    await prepare(await post())
    const turn = await post()
    const [fresh] = (await harness.tool(turn, 'sandbox_submitted_jobs')).proposals as {
      proposal_receipt: string
    }[]
    expect(await commit(turn, String(fresh?.proposal_receipt))).toMatchObject({ kind: 'submitted' })
  })

  it('shares its turn with no other', async () => {
    const first = await prepare(await post())
    const turn = await post()
    expect(await commit(turn, first.receipt)).toMatchObject({ kind: 'submitted' })
    const second = await prepare(turn)
    await post()
    // The same turn, made later than the proposal by hand: its message has committed already.
    await db
      .updateTable('agent_proposals')
      .set({ origin_sequence: 0, origin_message_id: null })
      .where('id', '=', String(second.answer.proposal_id))
      .execute()
    expect(await commit(turn, second.receipt)).toMatchObject({ error: 'receipt_reused' })
  })

  it('fails for good when its task is taken from the room', async () => {
    const { answer, receipt } = await prepare(await post())
    await db
      .updateTable('bindings')
      .set({ state: 'revoked', revoked_at: new Date() })
      .where('task_id', '=', task.taskId)
      .execute()
    const turn = await post()
    expect(await commit(turn, receipt)).toMatchObject({ error: 'unauthorized' })
    expect(await stateOf(answer.proposal_id)).toBe('failed')
    expect(await commit(turn, receipt)).toMatchObject({ error: 'proposal_not_pending' })
  })

  it('stays prepared when the queue is full', async () => {
    const { answer, receipt } = await prepare(await post())
    const operator = { db, deployment: 'onprem' } as const
    await setOperatorPolicy(operator, tenant.companyId, { queued_run_limit: 1 })
    await makeRun(db, task, { chatroom_id: tenant.roomId })
    const turn = await post()
    expect(await commit(turn, receipt)).toMatchObject({ error: 'provider_unavailable' })
    expect(await stateOf(answer.proposal_id)).toBe('prepared')
    await setOperatorPolicy(operator, tenant.companyId, { queued_run_limit: 2 })
    expect(await commit(turn, receipt)).toMatchObject({ kind: 'submitted' })
  })

  it('stays prepared when its stored input is not what was confirmed', async () => {
    const { answer, receipt } = await prepare(await post())
    await db
      .updateTable('agent_proposals')
      .set({ input: Buffer.from('{}') })
      .where('id', '=', String(answer.proposal_id))
      .execute()
    expect(await commit(await post(), receipt)).toMatchObject({ error: 'confirmation_input_unavailable' })
    expect(await stateOf(answer.proposal_id)).toBe('prepared')
    expect(await runs()).toEqual([])
  })

  it('committed a thousand times at once is one run', async () => {
    const { receipt } = await prepare(await post())
    const turn = await post()
    const answers = []
    for (let batch = 0; batch < 10; batch += 1) {
      answers.push(...(await Promise.all(Array.from({ length: 100 }, () => commit(turn, receipt)))))
    }
    const [run, ...others] = await runs()
    expect(others).toEqual([])
    expect(answers.filter(({ kind }) => kind === 'submitted')).toHaveLength(1)
    expect(answers.filter(({ kind, run_id }) => kind === 'replay' && run_id === run?.id)).toHaveLength(999)
  })

  it('committed by many later turns at once is one run', async () => {
    const { receipt } = await prepare(await post())
    const turns = await Promise.all(Array.from({ length: 10 }, () => post()))
    const answers = await Promise.all(turns.map((turn) => commit(turn, receipt)))
    expect(answers.filter(({ kind }) => kind === 'submitted')).toHaveLength(1)
    expect(answers.filter(({ error }) => error === 'already_committed')).toHaveLength(9)
    expect(await runs()).toHaveLength(1)
  })

  it('shows what is reserved for the run where runs have a price', async () => {
    expect((await prepare(await post())).answer.summary).not.toContain('reserved')
    await applyTestPrices(db)
    try {
      const { answer } = await prepare(await post())
      expect(answer.summary).toContain(
        `It may take at most 1800 seconds.\n0.028600 USD is reserved for it.\n`,
      )
    } finally {
      await removePrices(db)
    }
  })

  it('shows the exact stored bytes, with hidden characters and cuts visible', async () => {
    const { answer } = await prepare(await post(), { note: 'a\u202eb', long: 'x'.repeat(5000) })
    const summary = String(answer.summary)
    expect(summary).toContain('[cut: 2000 of ')
    expect(summary).not.toContain('\u202e')
    expect(summary).toContain(task.versionId)
  })
})

// That every bit counts is held without HTTP, by signed-tokens.test.ts.
it('a receipt with a changed bit in any byte is forged', async () => {
  const { receipt } = await prepare(await post())
  const turn = await post()
  const bytes = Buffer.from(receipt)
  const wrong: string[] = []
  const tryBit = async (bit: number) => {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const answer = await commit(turn, changed.toString('latin1'))
    if (answer.error !== 'forged_receipt') wrong.push(`${bit}: ${answer.error}`)
  }
  const bits = Array.from(bytes, (_, at) => at * 8 + (at % 8))
  for (let from = 0; from < bits.length; from += 100) {
    await Promise.all(bits.slice(from, from + 100).map(tryBit))
  }
  expect(wrong).toEqual([])
  for (const text of ['prp_1', 'a.b.c', 'a.b.c.d.e']) {
    expect(await commit(turn, text)).toMatchObject({ error: 'forged_receipt' })
  }
  expect(await runs()).toEqual([])
})
