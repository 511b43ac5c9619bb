import { randomUUID } from 'node:crypto'
import { historyRoutes } from '@sandbox-jobs/contract/routes/history-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../testing/apps/answer.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { applyTestPrices, giveBudget, priceFile, removePrices } from '../../../testing/factories/prices.ts'
import { makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { setBudget } from '../../billing/budgets/budget-store.ts'
import { foldBudgets, readBudget } from '../../billing/budgets/company-budget.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { finishRun } from '../drive/finish-run.ts'
import { failed } from '../model/run-outcome.ts'
import { claimNext } from '../queue/claim-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('terminal_at', 'is', null)
    .execute()
  await removePrices(db)
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const submit = (timeout_seconds = 60, key: string = randomUUID()) =>
  api.call(runRoutes.submitRun, tenant.member, {
    params: { cid: tenant.roomId },
    headers: { 'idempotency-key': key },
    body: { task_version_id: task.versionId, input: {}, timeout_seconds },
  })

const chargeOf = (id: string) =>
  db
    .selectFrom('charges')
    .selectAll()
    .where('subject_id', '=', id)
    .where('company_id', '=', tenant.companyId)
    .executeTakeFirst()

const runsOf = async () =>
  (await db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId).execute()).length

/** 60 s and 60 s to finish at 10 each, and 1 GiB sent at 10,000. */
const heldMicro = 120 * 10 + 10_000

const claim = () =>
  claimNext(db, {
    executor: 'tester',
    worker: 'tester',
    companyConcurrency: 50,
    capacity: runCapacity({ slots: 64 }),
  })

/** Ends a run as its worker does, after it ran for some seconds. */
async function runFor(
  seconds: number,
  { egressBytes = 0, ingressBytes = 0, outcome = failed('work_exit_nonzero') } = {},
) {
  const { id } = (await submit()).body
  const run = await claim()
  if (run?.id !== id) throw new Error('another run was claimed')
  await sql`update runs set state = 'running', started_at = clock_timestamp() - make_interval(secs => ${seconds}),
    measured_egress_bytes = ${egressBytes}, measured_ingress_bytes = ${ingressBytes} where id = ${id} and company_id = ${tenant.companyId}`.execute(
    db,
  )
  expect(await finishRun(db, run, { outcome })).toBe(true)
  return chargeOf(id)
}

describe('a submission', () => {
  it('holds nothing where no prices were applied', async () => {
    await giveBudget(db, tenant.companyId, 0)
    const { status, body } = await submit()
    expect([status, await chargeOf(body.id)]).toEqual([200, undefined])
  })

  it('holds timeout, time to finish and traffic with the run, and once per key', async () => {
    await applyTestPrices(db)
    const answers = await Promise.all([submit(60, 'same'), submit(60, 'same'), submit(60, 'same')])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await chargeOf(answers[0].body.id)).toMatchObject({
      held_micro: heldMicro,
      cost_micro: null,
      region: 'onprem',
    })
    expect(await readBudget(db, tenant.companyId)).toMatchObject({ held: '0.011200', spent: '0.000000' })
  })

  it('is refused without a row when the budget does not cover it, however many come at once', async () => {
    await applyTestPrices(db)
    await giveBudget(db, tenant.companyId, 3 * heldMicro + 1)
    const answers = await Promise.all(Array.from({ length: 12 }, () => submit()))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(codeOf)).toEqual(Array.from({ length: 9 }, () => 'budget_reservation_exceeded'))
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    const messages = refused.map(({ body }) => body.detail.message)
    expect(new Set(messages)).toEqual(
      new Set([
        "The budget of the company cannot cover this. The run reserves 0.011200, and 0.000001 of this month's budget is left.",
      ]),
    )
    expect(await runsOf()).toBe(3)
    expect(await readBudget(db, tenant.companyId)).toMatchObject({ held: '0.033600', limit: '0.033601' })
  })

  it('counts the same before and after its changes are folded', async () => {
    await applyTestPrices(db)
    await giveBudget(db, tenant.companyId, 2 * heldMicro)
    await submit()
    await foldBudgets({ db })()
    await submit()
    const before = await readBudget(db, tenant.companyId)
    await foldBudgets({ db })()
    expect(await readBudget(db, tenant.companyId)).toEqual(before)
    expect(codeOf(await submit())).toBe('budget_reservation_exceeded')
  })

  it('is refused for a profile without a price, a month without a budget, and a hold without a number', async () => {
    await applyTestPrices(db)
    await setBudget(db, tenant.companyId, { month: '2020-01', recurring: false, amountMicro: 1_000_000 })
    expect(codeOf(await submit())).toBe('missing_window')
    await giveBudget(db, tenant.companyId, Number.MAX_SAFE_INTEGER)
    expect((await submit()).status).toBe(200)
    const { onprem } = priceFile.regions
    const only = (profiles: object, rate_version: string) =>
      applyTestPrices(db, { ...priceFile, rate_version, regions: { onprem: { ...onprem, profiles } } })
    await only({ performance: { per_second: '1' } }, 'rates-2')
    expect(codeOf(await submit())).toBe('missing_price')
    await only({ standard: { per_second: '1000000' } }, 'rates-3')
    expect(codeOf(await submit(86_400))).toBe('invalid_envelope')
    expect(await runsOf()).toBe(1)
  })

  it('is priced in the first region that the company allows and that has a price', async () => {
    const hosted = new TestApi(db, { deployment: 'hosted' })
    const { onprem } = priceFile.regions
    await applyTestPrices(db)
    await db.deleteFrom('prices').execute()
    const { id: list_id } = await db.selectFrom('price_lists').select('id').executeTakeFirstOrThrow()
    const price = {
      list_id,
      kind: 'run',
      profile: 'standard',
      ingress_per_gib_micro: 0,
      egress_per_gib_micro: 0,
    } as const
    await db
      .insertInto('prices')
      .values([
        { ...price, region: 'asia-east2', place: 5, per_second_micro: 7 },
        { ...price, region: 'asia-east1', place: 0, per_second_micro: 9 },
        { ...price, region: 'onprem', place: 10, per_second_micro: 1 },
      ])
      .execute()
    expect(onprem).toBeDefined()
    const send = () =>
      hosted.call(runRoutes.submitRun, tenant.member, {
        params: { cid: tenant.roomId },
        headers: { 'idempotency-key': randomUUID() },
        body: { task_version_id: task.versionId, input: {}, timeout_seconds: 60 },
      })
    expect(await chargeOf((await send()).body.id)).toMatchObject({
      region: 'asia-east1',
      held_micro: 120 * 9,
    })
    await db
      .insertInto('company_settings')
      .values({
        company_id: tenant.companyId,
        run_content_retention_days: 30,
        unreferenced_image_retention_days: 30,
        allowed_regions: ['asia-east2'],
        timeout_ceiling_seconds: 86_400,
        active_environment_limit: 30,
        capacity_retained_version_limit: 100,
      })
      .execute()
    expect(await chargeOf((await send()).body.id)).toMatchObject({
      region: 'asia-east2',
      held_micro: 120 * 7,
    })
  })
})

describe('the end of a run', () => {
  it('settles the seconds that it ran and the bytes that it sent, at the rates of its submission', async () => {
    await applyTestPrices(db)
    const { id } = (await submit()).body
    const { onprem } = priceFile.regions
    await applyTestPrices(db, {
      ...priceFile,
      rate_version: 'dear',
      regions: { onprem: { ...onprem, egress_per_gib: '9' } },
    })
    const run = await claim()
    if (!run) throw new Error('nothing was claimed')
    await sql`update runs set state = 'running', started_at = clock_timestamp() - interval '99.5 seconds',
      measured_egress_bytes = 107374183 where id = ${id} and company_id = ${tenant.companyId}`.execute(db)
    await finishRun(db, run, { outcome: failed('work_exit_nonzero') })
    // A tenth of a GiB and a byte at 10,000, rounded up.
    expect(await chargeOf(id)).toMatchObject({ billed_seconds: 100, cost_micro: 100 * 10 + 1001 })
    expect(await readBudget(db, tenant.companyId)).toMatchObject({ held: '0.000000', spent: '0.002001' })
    const [item] = await api.must(historyRoutes.listTaskRuns, tenant.companyManager, {
      params: { id: task.taskId },
    })
    expect(item?.cost_usd).toBe('0.002001')
  })

  it('costs no more than was held, whatever the run received and sent', async () => {
    const { onprem } = priceFile.regions
    await applyTestPrices(db, {
      ...priceFile,
      inbound_reservation_bytes: 2 * 1024 ** 3,
      regions: { onprem: { ...onprem, ingress_per_gib: '100' } },
    })
    const held = heldMicro + 2 * 100_000_000
    await giveBudget(db, tenant.companyId, held + 1_000_000)
    const used = await runFor(5000, { ingressBytes: 2.5 * 1024 ** 3, egressBytes: 1024 ** 4 })
    expect(used).toMatchObject({ held_micro: held, cost_micro: held })
    expect(used).toMatchObject({ reserved_received_bytes: 2 * 1024 ** 3, reserved_sent_bytes: 1024 ** 3 })
    expect(codeOf(await submit())).toBe('budget_reservation_exceeded')
  })

  it('bills a short run for the minimum, and a late end for no more than was reserved', async () => {
    await applyTestPrices(db)
    expect(await runFor(1)).toMatchObject({ billed_seconds: 60, cost_micro: 600 })
    expect(await runFor(5000)).toMatchObject({ billed_seconds: 120, cost_micro: 1200 })
  })

  it('bills nothing for what the platform failed or what never started', async () => {
    await applyTestPrices(db)
    expect(await runFor(50, { egressBytes: 1e9, outcome: failed('host_lost') })).toMatchObject({
      billed_seconds: 0,
      cost_micro: 0,
    })
    const { id } = (await submit()).body
    await api.must(runRoutes.cancelRun, tenant.member, { params: { cid: tenant.roomId, rid: id } })
    expect(await chargeOf(id)).toMatchObject({
      billed_seconds: 0,
      cost_micro: 0,
      settled_at: expect.any(Date),
    })
    const refused = (await submit()).body
    const run = await claim()
    if (run?.id !== refused.id) throw new Error('another run was claimed')
    await finishRun(db, run, { outcome: failed('env_invalid') })
    expect(await chargeOf(refused.id)).toMatchObject({ cost_micro: 0 })
    expect(await readBudget(db, tenant.companyId)).toMatchObject({ held: '0.000000', spent: '0.000000' })
  })

  it('is undone with its transaction: the hold stays as long as the run', async () => {
    await applyTestPrices(db)
    const { id } = (await submit()).body
    const run = await claim()
    if (!run) throw new Error('nothing was claimed')
    await db
      .transaction()
      .execute(async (trx) => {
        await finishRun(trx, run, { outcome: failed('host_lost') })
        throw new Error('killed before the commit')
      })
      .catch(() => undefined)
    expect(await chargeOf(id)).toMatchObject({ settled_at: null, held_micro: heldMicro })
  })
})
