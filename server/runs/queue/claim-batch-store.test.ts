import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import {
  cancelLiveRuns,
  makeQueueingCompany,
  type QueueingCompany,
  queueRun,
} from '../../../testing/factories/queued-runs.ts'
import { makeRoom } from '../../../testing/factories/tenant.ts'
import { SeededRandom } from '../../base/seeded-random.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { finishRun } from '../drive/finish-run.ts'
import { failed } from '../model/run-outcome.ts'
import { cancelRun } from './cancel-run.ts'
import { claimBatch } from './claim-batch-store.ts'
import { claimNext } from './claim-store.ts'

const { db } = await createTestDatabase()
const weekSeconds = 604_680
const options = {
  executor: '1'.repeat(32),
  worker: 'w1',
  companyConcurrency: 50,
  capacity: runCapacity({ slots: 64, reserved: 0 }),
}

const makeCompany = () => makeQueueingCompany(db)
const makeCompanies = (count: number) => Promise.all(Array.from({ length: count }, makeCompany))

const queue = (company: QueueingCompany, fields?: Parameters<typeof queueRun>[2]) =>
  queueRun(db, company, fields)
async function queueMany(company: QueueingCompany, count: number, fields = {}): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) ids.push(await queue(company, fields))
  return ids
}

const batchIds = async (most = 32, change = {}) =>
  (await claimBatch(db, { ...options, ...change }, most)).map(({ id }) => id)

/** Workers that claim at the same time until each has found nothing three times. */
async function claimTogether(workers: number, change = {}): Promise<string[]> {
  const taken: string[] = []
  const work = async (worker: string) => {
    for (let misses = 0; misses < 3; ) {
      const ids = await batchIds(4, { ...change, worker })
      taken.push(...ids)
      if (ids.length === 0) misses += 1
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, index) => work(`worker ${index}`)))
  return taken
}

beforeEach(() => cancelLiveRuns(db))

describe('a batch', () => {
  it('takes runs into one pair of hands, each with a fence and a lease', async () => {
    const company = await makeCompany()
    const ids = await queueMany(company, 3)
    const claimed = await claimBatch(db, options, 32)
    expect(claimed).toEqual(
      ids.map((id, index) => ({
        id,
        companyId: company.companyId,
        state: 'starting',
        fence: 1,
        sandboxId: `${id}_1`,
        waitedMs: expect.any(Number),
        isCompanyBusy: index > 0,
        isLast: true,
      })),
    )
    const rows = await db.selectFrom('runs').selectAll().where('id', 'in', ids).execute()
    const events = await db
      .selectFrom('state_events')
      .select('to_state')
      .where('entity_id', 'in', ids)
      .where('company_id', '=', company.companyId)
      .execute()
    expect(events.filter(({ to_state }) => to_state === 'starting')).toHaveLength(3)
    for (const row of rows) {
      expect(row).toMatchObject({ state: 'starting', executor: options.executor, worker: options.worker })
      expect(row.lease_until?.getTime()).toBeGreaterThan(Date.now() + 60_000)
    }
    expect(await batchIds()).toEqual([])
  })

  it('is no larger than what the worker has room for, and says what is left', async () => {
    await queueMany(await makeCompany(), 5)
    const first = await claimBatch(db, options, 3)
    expect(first.map(({ isLast }) => isLast)).toEqual([false, false])
    expect((await claimBatch(db, options, 32)).map(({ isLast }) => isLast)).toEqual([true, true, true])
  })

  it('never takes a run that was cancelled, and leaves one that another transaction holds', async () => {
    const company = await makeCompany()
    const [cancelled = '', held = '', free] = await queueMany(company, 3)
    await cancelRun(db, { id: cancelled, company_id: company.companyId })
    await db.transaction().execute(async (trx) => {
      await sql`select from runs where id = ${held} and company_id = ${company.companyId} for update`.execute(
        trx,
      )
      expect(await batchIds(1)).toEqual([free])
      expect(await batchIds()).toEqual([])
    })
    expect(await batchIds()).toEqual([held])
  })

  it.each([1, 2, 3])('takes runs in the order of as many single claims (seed %i)', async (seed) => {
    const draw = new SeededRandom(seed)
    const companies = await makeCompanies(4)
    for (const company of companies) {
      const rooms = [company.roomId, await makeRoom(db, company), await makeRoom(db, company)]
      const count = 1 + draw.below(9)
      for (let index = 0; index < count; index += 1)
        await queue(company, { chatroom_id: draw.of(rooms), timeout_seconds: draw.of([60, weekSeconds]) })
    }
    await sql`update queue_turns set served_at = null`.execute(db)
    const together = await batchIds()
    expect(together.length).toBeGreaterThan(4)
    await sql`update runs set state = 'queued', worker = null, claimed_at = null, started_at = null where id = any(${together})
      and company_id = any(${companies.map(({ companyId }) => companyId)})`.execute(db)
    await sql`update queue_turns set served_at = null`.execute(db)
    const single: (string | undefined)[] = []
    for (const _ of together) single.push((await claimNext(db, options))?.id)
    expect(together).toEqual(single)
  })
})

describe('bounds are exact, however many workers claim in batches:', () => {
  it('of a company, also one by its operator', async () => {
    const [many, few] = [await makeCompany(), await makeCompany()]
    await bound(few, { run_concurrency_limit: 2 })
    const ofMany = await queueMany(many, 16)
    await queueMany(few, 8)
    const taken = await claimTogether(6, { companyConcurrency: 5 })
    expect(taken.filter((id) => ofMany.includes(id))).toHaveLength(5)
    expect(taken).toHaveLength(7)
  })

  it('of an executor, of whose slots the reserved ones are for first runs and the last for short ones', async () => {
    const capacity = runCapacity({ slots: 16 })
    const greedy = await makeCompany()
    await queueMany(greedy, 20)
    expect(await claimTogether(6, { capacity })).toHaveLength(14)
    const hostile = await makeCompanies(4)
    for (const company of hostile) await queueMany(company, 2, { timeout_seconds: weekSeconds })
    expect(await claimTogether(6, { capacity })).toHaveLength(1)
    const short = await queue(await makeCompany())
    expect(await claimTogether(6, { capacity })).toEqual([short])
    const elsewhere = await batchIds(1, { capacity, executor: '2'.repeat(32) })
    expect(elsewhere).toHaveLength(1)
  })

  it('of runs above the timeout bound of their company, which start one at a time', async () => {
    const company = await makeCompany()
    await bound(company, { run_timeout_bound_seconds: 3600 })
    const above = await queueMany(company, 3, { timeout_seconds: 3601 })
    const below = await queueMany(company, 2, { timeout_seconds: 60 })
    expect((await claimTogether(4)).toSorted()).toEqual([above[0], ...below].toSorted())
    expect(await batchIds()).toEqual([])
  })

  it('of a company for which an earlier run is queued while another batch is being claimed', async () => {
    const company = await makeCompany()
    const later = await queueMany(company, 4)
    const together = { companyConcurrency: 3 }
    const { first, second } = await db.transaction().execute(async (trx) => {
      await sql`select from queue_turns where company_id = ${company.companyId} for no key update`.execute(
        trx,
      )
      const first = batchIds(4, together)
      await eventually(async () => expect(await waiting()).toBe(1))
      await queue(company, { queued_at: new Date(1_600_000_000_000) })
      const second = batchIds(4, together)
      await Promise.race([second, eventually(async () => expect(await waiting()).toBe(2))])
      return { first, second }
    })
    expect(await first).toEqual(later.slice(0, 3))
    expect(await second).toEqual([])
  })

  /** Statements that wait for a lock. */
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      db,
    )
    return rows[0]?.count
  }

  const bound = (company: QueueingCompany, limits: object) =>
    db
      .insertInto('company_settings')
      .values({
        company_id: company.companyId,
        run_content_retention_days: 1,
        unreferenced_image_retention_days: 1,
        allowed_regions: ['onprem'],
        timeout_ceiling_seconds: weekSeconds,
        active_environment_limit: 1,
        capacity_retained_version_limit: 1,
        ...limits,
      })
      .execute()
})

it('a short run is found behind more companies than a claim tries at once', async () => {
  const capacity = runCapacity({ slots: 2 })
  for (const company of await makeCompanies(70)) await queue(company, { timeout_seconds: weekSeconds })
  expect(await claimTogether(1, { capacity })).toHaveLength(1)
  const id = await queue(await makeCompany())
  expect(await batchIds(4, { capacity })).toEqual([id])
})

it('a company that ends its runs at once takes no more turns than the others', async () => {
  const companies = await makeCompanies(3)
  for (const company of companies) await queueMany(company, 6)
  const served = new Map(companies.map(({ companyId }) => [companyId, 0]))
  for (let round = 0; round < 9; round += 1) {
    const [run] = await claimBatch(db, options, 1)
    if (!run) throw new Error('nothing to claim')
    served.set(run.companyId, (served.get(run.companyId) ?? 0) + 1)
    await finishRun(db, run, { outcome: failed('platform_internal') })
  }
  expect([...served.values()]).toEqual([3, 3, 3])
})
