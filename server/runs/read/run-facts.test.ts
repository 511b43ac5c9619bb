import { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { validatorOf } from '../../http/requests/validation.ts'

const { db } = await createTestDatabase()
const onPremises = new TestApi(db, { runSlots: 4 })
const hosted = new TestApi(db, { deployment: 'hosted', runSlots: 4 })
const withLittleMemory = new TestApi(db, { runSlots: 16, sandboxMemoryMib: 8192 })
const checkShape = validatorOf('body', RunDetail)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', exit_code: null, terminal_at: new Date() })
    .where('terminal_at', 'is', null)
    .execute()
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

type Fields = Partial<Parameters<typeof makeRun>[2]>
const queuedAt = new Date('2026-01-01T00:00:00Z')
const claimedAt = new Date('2026-01-01T00:01:00Z')
const cancelledAt = new Date('2026-01-01T00:02:00Z')
const held = { worker: 'w', sandbox_id: 's', claimed_at: claimedAt }

const make = (fields: Fields = {}) =>
  makeRun(db, task, { chatroom_id: tenant.roomId, queued_at: queuedAt, ...fields })

async function shown(rid: string, on = onPremises) {
  const params = { cid: tenant.roomId, rid }
  const run = (await on.call(runRoutes.readRun, tenant.member, { params })).body
  checkShape(run)
  return run
}

const noWait = { wait_reason: '', next_action: '', wait_since: null, queue_position: null, eta_seconds: null }
const waiting = (reason: string, since: Date, position: number | null) => ({
  wait_reason: reason,
  next_action: expect.stringMatching(/^.{1,400}$/),
  wait_since: since.toISOString(),
  queue_position: position,
  eta_seconds: null,
  failure_hint: '',
  terminal_at: null,
  exit_code: null,
})

describe('what a run says about its wait', () => {
  const cases: [string, Fields, ReturnType<typeof waiting>][] = [
    ['queued', {}, waiting('awaiting_dispatch', queuedAt, 1)],
    ['starting', held, waiting('container_starting', claimedAt, null)],
    [
      'cancel_requested',
      { ...held, cancel_requested_at: cancelledAt },
      waiting('cancel_pending', cancelledAt, null),
    ],
  ]
  it.each(cases)('while it is %s', async (state, fields, facts) => {
    const rid = await make({ state, ...fields })
    expect(await shown(rid)).toMatchObject(facts)
    expect(await shown(rid, hosted)).toMatchObject(facts)
  })

  it('is nothing while it runs', async () => {
    const rid = await make({ state: 'running', ...held, started_at: claimedAt })
    expect(await shown(rid)).toMatchObject({ ...noWait, failure_hint: '', terminal_at: null })
  })

  const ends: [string, Fields, string | RegExp][] = [
    ['completed', { exit_code: 0 }, ''],
    ['customer_failed', { error_code: 'out_of_memory', failure_stage: 'work' }, /memory/],
    ['platform_failed', { error_code: 'host_lost', failure_stage: 'wait' }, /again/],
    ['cancelled', { error_code: 'cancelled', failure_stage: 'cancel' }, ''],
  ]
  it.each(ends)('is nothing once it is %s, and a failure says what to do', async (state, fields, hint) => {
    const run = await shown(await make({ state, terminal_at: cancelledAt, ...fields }))
    expect(run).toMatchObject({ ...noWait, terminal_at: cancelledAt.toISOString() })
    if (hint === '') expect(run.failure_hint).toBe('')
    else expect(run.failure_hint).toMatch(hint)
  })
})

describe('the place in the queue', () => {
  /** Runs of another company that came earlier. */
  const others = async (count: number, fields: Fields = {}) => {
    const other = await makeTenant(db)
    const theirs = await makeRunnableTask(db, other.companyId)
    for (let index = 0; index < count; index += 1) {
      const queued_at = new Date(queuedAt.getTime() - 1000)
      await makeRun(db, theirs, { chatroom_id: other.roomId, queued_at, ...fields })
    }
  }

  it('is that among everyone on premises, and among the company where hosted', async () => {
    await others(3)
    await make()
    const rid = await make({ queued_at: claimedAt })
    expect(await shown(rid)).toMatchObject({ queue_position: 5 })
    expect(await shown(rid, hosted)).toMatchObject({ queue_position: 2 })
  })

  it('is returned to many concurrent readers, for the queue of their own company where hosted', async () => {
    const mine = [await make(), await make({ queued_at: claimedAt })]
    const other = await makeTenant(db)
    const theirs = await makeRun(db, await makeRunnableTask(db, other.companyId), {
      chatroom_id: other.roomId,
    })
    const read = (of: Tenant, rid: string) =>
      hosted.call(runRoutes.readRun, of.member, { params: { cid: of.roomId, rid } })
    const answers = await Promise.all([...mine.map((rid) => read(tenant, rid)), read(other, theirs)])
    expect(answers.map((answer) => answer.body.queue_position)).toEqual([1, 2, 1])
  })

  it('gives an estimate on premises only: rounds of the places of the fleet, each as long as the last runs', async () => {
    await make({
      state: 'completed',
      exit_code: 0,
      started_at: queuedAt,
      terminal_at: new Date(queuedAt.getTime() + 30_000),
    })
    await others(4)
    const rid = await make()
    expect(await shown(rid)).toMatchObject({ queue_position: 5, eta_seconds: 60 })
    expect(await shown(rid, hosted)).toMatchObject({ queue_position: 1, eta_seconds: null })
  })

  it('comes with who holds it up: the full hosts, or the company that runs all it may', async () => {
    const rid = await make()
    const run = (count: number) =>
      Promise.all(Array.from({ length: count }, () => make({ state: 'running', ...held })))
    await run(2)
    expect(await shown(rid)).toMatchObject({ wait_reason: 'awaiting_dispatch' })
    await others(3, { state: 'running', ...held })
    expect(await shown(rid)).toMatchObject({ wait_reason: 'provider_capacity_exhausted', queue_position: 1 })
    await run(1)
    expect(await shown(rid)).toMatchObject({ wait_reason: 'company_saturated', queue_position: 1 })
  })

  it('is waited for by a company that has none while a place is kept for short runs, and by a large run for memory', async () => {
    const rid = await make({ timeout_seconds: 604_680 })
    await others(3, { state: 'running', ...held })
    expect(await shown(rid)).toMatchObject({ wait_reason: 'provider_capacity_exhausted' })
    expect(await shown(await make())).toMatchObject({ wait_reason: 'awaiting_dispatch' })
    const large = await make({ resource_profile: 'large' })
    expect(await shown(large, withLittleMemory)).toMatchObject({ wait_reason: 'provider_capacity_exhausted' })
  })

  it('is for memory that a build reserves, except for a first short run', async () => {
    await db
      .insertInto('build_attempts')
      .values({
        id: 'bld_waiting',
        company_id: task.companyId,
        environment_version_id: task.environmentVersionId,
        attempt_number: 1,
        state: 'validation_queued',
        build_region: 'onprem',
        build_profile: 'large',
      })
      .execute()
    const now = new Date()
    const turn = { executor: 'e', attempt_id: 'bld_waiting', reserved_at: now, renewed_at: now }
    await db.insertInto('build_memory_turn').values(turn).execute()
    const [long, short] = [await make({ timeout_seconds: 3600 }), await make()]
    expect(await shown(long, withLittleMemory)).toMatchObject({ wait_reason: 'provider_capacity_exhausted' })
    expect(await shown(short, withLittleMemory)).toMatchObject({ wait_reason: 'awaiting_dispatch' })
    await db.deleteFrom('build_attempts').where('id', '=', 'bld_waiting').execute()
    expect(await shown(long, withLittleMemory)).toMatchObject({ wait_reason: 'awaiting_dispatch' })
  })

  it('is that of one run at a time for those over the bound of their operator', async () => {
    const policy = await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, {
      run_timeout_bound_seconds: 3600,
    })
    expect(policy).toMatchObject({ run_timeout_bound_seconds: 3600 })
    await make({ state: 'running', ...held, timeout_seconds: 3601 })
    expect(await shown(await make({ timeout_seconds: 3601 }))).toMatchObject({
      wait_reason: 'company_saturated',
    })
    expect(await shown(await make({ timeout_seconds: 3600 }))).toMatchObject({
      wait_reason: 'awaiting_dispatch',
    })
  })

  it('comes with an estimate by the places that other companies leave', async () => {
    await make({
      state: 'completed',
      exit_code: 0,
      started_at: queuedAt,
      terminal_at: new Date(queuedAt.getTime() + 30_000),
    })
    await make()
    await make({ queued_at: claimedAt })
    const rid = await make({ queued_at: cancelledAt })
    expect(await shown(rid)).toMatchObject({ queue_position: 3, eta_seconds: 30 })
    await others(3, { state: 'running', ...held })
    expect(await shown(rid)).toMatchObject({ queue_position: 3, eta_seconds: 90 })
  })
})
