import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import {
  cancelLiveRuns,
  makeQueueingCompany,
  type QueueingCompany,
  queueRun,
} from '../../../testing/factories/queued-runs.ts'
import { type RunCapacity, runCapacity } from '../../capacity/run-capacity.ts'
import { finishRun } from '../drive/finish-run.ts'
import { failed } from '../model/run-outcome.ts'
import { claimNext } from './claim-store.ts'

/*
 * The share of places on an executor: companies that want all of it for as long as they may, beside one that has a short
 * run now and then.
 */

const { db } = await createTestDatabase()
const weekSeconds = 604_680

const makeCompany = () => makeQueueingCompany(db)

type Fields = Parameters<typeof queueRun>[2]
const queue = (company: QueueingCompany, fields?: Fields) => queueRun(db, company, fields)
const queueMany = async (company: QueueingCompany, count: number, fields: Fields) => {
  for (let index = 0; index < count; index += 1) await queue(company, fields)
}

const claim = (capacity: RunCapacity, executor = 'one') =>
  claimNext(db, { executor, worker: 'w', companyConcurrency: 50, capacity })

/** Claims until nothing may start; how many each company got. */
async function fill(capacity: RunCapacity, ...companies: QueueingCompany[]): Promise<number[]> {
  const got = new Map(companies.map(({ companyId }) => [companyId, 0]))
  for (;;) {
    const run = await claim(capacity)
    if (!run) return [...got.values()]
    got.set(run.companyId, (got.get(run.companyId) ?? 0) + 1)
  }
}

const end = async (id: string) =>
  db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).where('id', '=', id).execute()

beforeEach(() => cancelLiveRuns(db))

describe('places', () => {
  it.each([
    { slots: 1, alone: 1 },
    { slots: 2, alone: 1 },
    { slots: 3, alone: 2 },
    { slots: 16, alone: 14 },
  ])('of $slots one company alone holds $alone', async ({ slots, alone }) => {
    const greedy = await makeCompany()
    await queueMany(greedy, slots + 2, { timeout_seconds: weekSeconds })
    expect(await fill(runCapacity({ slots }), greedy)).toEqual([alone])
  })

  it.each([2, 16])('of %d are left for the run of another company at once', async (slots) => {
    const [greedy, quiet] = [await makeCompany(), await makeCompany()]
    const capacity = runCapacity({ slots })
    await queueMany(greedy, slots + 2, { timeout_seconds: weekSeconds })
    await fill(capacity, greedy)
    const id = await queue(quiet, { timeout_seconds: 1800 })
    expect(await claim(capacity)).toMatchObject({ id })
  })

  it('are those of one executor, and the concurrency of a company is that of all', async () => {
    const [first, second] = [await makeCompany(), await makeCompany()]
    const capacity = runCapacity({ slots: 2, memoryMib: 3 * gib })
    await queueMany(first, 4, {})
    await queueMany(second, 4, {})
    expect(await fill(capacity, first, second)).toEqual([1, 1])
    const elsewhere = await claim(capacity, 'other')
    expect(elsewhere?.companyId).toBe(first.companyId)
    // The slot that is left there is for a company without a run at work.
    expect(await claim(capacity, 'other')).toBeUndefined()
    const bounded = { executor: 'third', worker: 'w', companyConcurrency: 1, capacity }
    expect(await claimNext(db, bounded)).toBeUndefined()
    await end(elsewhere?.id ?? '')
    expect(await claim(capacity, 'other')).toBeDefined()
    expect(await claim(capacity)).toBeUndefined()
  })

  it('are shared evenly by all that wait, and nobody takes a second one of the reserved', async () => {
    const companies = [await makeCompany(), await makeCompany(), await makeCompany()]
    for (const company of companies) await queueMany(company, 16, {})
    const shares = await fill(runCapacity({ slots: 16 }), ...companies)
    expect(shares.toSorted()).toEqual([4, 5, 5])
    const late = await makeCompany()
    await queueMany(late, 3, {})
    expect(await fill(runCapacity({ slots: 16 }), late)).toEqual([1])
  })

  it('that are kept for short runs are given to no long one, whoever waits with it', async () => {
    const capacity = runCapacity({ slots: 16 })
    const hostile = await Promise.all(Array.from({ length: 20 }, makeCompany))
    for (const company of hostile) await queueMany(company, 2, { timeout_seconds: weekSeconds })
    const got = await fill(capacity, ...hostile)
    expect(got.reduce((sum, count) => sum + count)).toBe(15)
    const quiet = await makeCompany()
    const long = await queue(quiet, { timeout_seconds: 1801 })
    expect(await claim(capacity)).toBeUndefined()
    const short = await queue(quiet, { timeout_seconds: 1800 })
    expect(await claim(capacity)).toMatchObject({ id: short })
    await end(long)
  })

  it('are found for a short run behind more companies than a claim tries at once', async () => {
    const capacity = runCapacity({ slots: 2 })
    const hostile = await Promise.all(Array.from({ length: 70 }, makeCompany))
    for (const company of hostile) await queue(company, { timeout_seconds: weekSeconds })
    expect((await fill(capacity, ...hostile)).reduce((sum, count) => sum + count)).toBe(1)
    const id = await queue(await makeCompany())
    expect(await claim(capacity)).toMatchObject({ id })
  })

  it('are found for a short run behind the long ones of its own room', async () => {
    const capacity = runCapacity({ slots: 2 })
    const greedy = await makeCompany()
    await queueMany(greedy, 2, { timeout_seconds: weekSeconds })
    await fill(capacity, greedy)
    const company = await makeCompany()
    await queueMany(company, 12, { timeout_seconds: weekSeconds })
    const id = await queue(company)
    expect(await claim(capacity)).toMatchObject({ id })
  })

  it('that a run leaves go to who waits, not to who had it', async () => {
    const capacity = runCapacity({ slots: 2, reserved: 0 })
    const [greedy, quiet] = [await makeCompany(), await makeCompany()]
    await queueMany(greedy, 4, {})
    const held = [await claim(capacity), await claim(capacity)]
    const id = await queue(quiet)
    expect(await claim(capacity)).toBeUndefined()
    if (!held[0]) throw new Error('nothing was claimed')
    await finishRun(db, held[0], { outcome: failed('platform_internal') })
    expect(await claim(capacity)).toMatchObject({ id })
  })

  it('are bounded for one company by its operator, and runs over its bound start one at a time', async () => {
    const capacity = runCapacity({ slots: 16 })
    const company = await makeCompany()
    await db
      .insertInto('company_settings')
      .values({
        company_id: company.companyId,
        run_content_retention_days: 1,
        unreferenced_image_retention_days: 1,
        allowed_regions: ['onprem'],
        timeout_ceiling_seconds: weekSeconds,
        active_environment_limit: 1,
        capacity_retained_version_limit: 1,
        run_concurrency_limit: 5,
        run_timeout_bound_seconds: 3600,
      })
      .execute()
    await queueMany(company, 3, { timeout_seconds: 3601 })
    expect(await fill(capacity, company)).toEqual([1])
    await queueMany(company, 16, { timeout_seconds: 60 })
    expect(await fill(capacity, company)).toEqual([4])
  })
})

const gib = 1024
const onSmallHost = runCapacity({ slots: 16, memoryMib: 21 * gib })
const large = { resource_profile: 'large' }

describe('memory', () => {
  const promised = async () => {
    const rows = await db
      .selectFrom('runs')
      .select('resource_profile')
      .where('state', '=', 'starting')
      .execute()
    const mib: Record<string, number> = { standard: 1280, performance: 2560, large: 5120, xlarge: 10_240 }
    return rows.reduce((sum, { resource_profile: profile }) => sum + (mib[profile] ?? 0), 0)
  }

  it('is promised to no more large runs than there is, and leaves some for a small one', async () => {
    const greedy = await makeCompany()
    await queueMany(greedy, 16, large)
    expect(await fill(onSmallHost, greedy)).toEqual([3])
    const quiet = await makeCompany()
    const id = await queue(quiet)
    expect(await claim(onSmallHost)).toMatchObject({ id })
    expect(await promised()).toBeLessThanOrEqual(21 * gib - 2 * gib)
  })

  it('is never promised twice, whatever companies ask for', async () => {
    const companies = await Promise.all(Array.from({ length: 6 }, makeCompany))
    const profiles = ['large', 'standard', 'performance']
    for (const [at, company] of companies.entries()) {
      await queueMany(company, 6, { resource_profile: profiles[at % 3] ?? 'standard' })
    }
    await fill(onSmallHost, ...companies)
    expect(await promised()).toBeLessThanOrEqual(21 * gib - 2 * gib)
  })

  it('is had by a profile larger than the machine once the machine is empty', async () => {
    const tiny = runCapacity({ slots: 16, memoryMib: 3 * gib })
    const company = await makeCompany()
    const small = await queue(company)
    expect(await claim(tiny)).toMatchObject({ id: small })
    const id = await queue(await makeCompany(), large)
    expect(await claim(tiny)).toBeUndefined()
    await end(small)
    expect(await claim(tiny)).toMatchObject({ id })
    expect(await claim(tiny)).toBeUndefined()
  })

  it('counts builds under way', async () => {
    const company = await makeCompany()
    await queueMany(company, 16, large)
    const [first, second] = [await claim(onSmallHost), await claim(onSmallHost)]
    expect([first, second]).not.toContain(undefined)
    const { environmentVersionId } = company.task
    await db
      .insertInto('build_attempts')
      .values({
        id: 'bld_large',
        company_id: company.companyId,
        environment_version_id: environmentVersionId,
        attempt_number: 1,
        state: 'building',
        build_region: 'onprem',
        build_profile: 'large',
        worker: 'one',
        started_at: new Date(),
      })
      .execute()
    expect(await claim(onSmallHost)).toBeUndefined()
    await db.deleteFrom('build_attempts').where('id', '=', 'bld_large').execute()
    expect(await claim(onSmallHost)).toMatchObject({ companyId: company.companyId })
  })
})

describe('a large run beside a stream of small ones', () => {
  /** Holds all ordinary memory with runs that end soon by their deadlines. */
  async function fillWithSmall(timeoutSeconds: number) {
    const busy = await makeCompany()
    await queueMany(busy, 40, { timeout_seconds: timeoutSeconds })
    const [count] = await fill(onSmallHost, busy)
    expect(count).toBe(13)
    const rows = await db
      .selectFrom('runs')
      .select('id')
      .where('company_id', '=', busy.companyId)
      .where('state', '=', 'starting')
      .execute()
    return { busy, live: rows.map(({ id }) => id) }
  }

  it('starts when those that were there have ended, though more small ones wait', async () => {
    const { live } = await fillWithSmall(600)
    const id = await queue(await makeCompany(), large)
    const others = await Promise.all(Array.from({ length: 3 }, makeCompany))
    for (const company of others) await queueMany(company, 10, { timeout_seconds: 600 })
    let started = false
    for (const ended of live) {
      await end(ended)
      for (let run = await claim(onSmallHost); run; run = await claim(onSmallHost)) {
        if (run.id === id) started = true
      }
      if (started) break
    }
    expect(started).toBe(true)
  })

  it('does not keep a small run of a company that has none from its place', async () => {
    await fillWithSmall(600)
    await queue(await makeCompany(), large)
    const id = await queue(await makeCompany())
    expect(await claim(onSmallHost)).toMatchObject({ id })
  })

  it('lets pass what ends before it could start, so that runs of a week keep no memory idle for it', async () => {
    const sleeper = await makeCompany()
    await queueMany(sleeper, 11, { timeout_seconds: weekSeconds })
    expect(await fill(onSmallHost, sleeper)).toEqual([11])
    await queue(await makeCompany(), large)
    const company = await makeCompany()
    await queueMany(company, 3, { timeout_seconds: 600 })
    expect(await fill(onSmallHost, company)).toEqual([2])
  })
})
