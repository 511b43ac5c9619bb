import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import {
  cancelLiveRuns,
  makeQueueingCompany,
  type QueueingCompany,
} from '../../testing/factories/queued-runs.ts'
import { makeRun, makeRunnableTask } from '../../testing/factories/runs.ts'
import { newId } from '../base/ids.ts'
import { buildSlots } from '../builds/attempts/build-limits.ts'
import { claimNextAttempt } from '../builds/attempts/claims/claim-attempt-store.ts'
import { claimNext } from '../runs/queue/claim-store.ts'
import { type RunCapacity, runCapacity } from './run-capacity.ts'

/* Large runs and builds beside a stream of small ones, on one machine. */

const { db } = await createTestDatabase()
const gib = 1024
/** Shared memory for 13 standard runs and a standard build. */
const host = runCapacity({ slots: 16, memoryMib: 21 * gib })
/** Shared memory of 9.5 GiB, of which a large build counts for 7 and a large run for 5. */
const smallHost = runCapacity({ slots: 16, memoryMib: 12 * gib })

const makeCompany = () => makeQueueingCompany(db)

const makeCompanies = (count: number) => Promise.all(Array.from({ length: count }, makeCompany))

const queueRun = (company: QueueingCompany, fields: Partial<Parameters<typeof makeRun>[2]> = {}) =>
  makeRun(db, company.task, { chatroom_id: company.roomId, timeout_seconds: 1800, ...fields })

async function queueRuns(company: QueueingCompany, count: number, fields?: Parameters<typeof queueRun>[1]) {
  for (let index = 0; index < count; index += 1) await queueRun(company, fields)
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

async function queueBuild(
  { companyId }: QueueingCompany,
  { profile = 'standard', waitedMinutes = 2 }: { profile?: string; waitedMinutes?: number } = {},
): Promise<string> {
  const { environmentVersionId } = await makeRunnableTask(db, companyId)
  const id = newId('buildAttempt')
  await db
    .insertInto('build_attempts')
    .values({
      id,
      company_id: companyId,
      environment_version_id: environmentVersionId,
      attempt_number: 1,
      state: 'validation_queued',
      build_region: 'onprem',
      build_profile: profile,
      queued_at: minutesAgo(waitedMinutes),
    })
    .execute()
  return id
}

const claimRun = (capacity: RunCapacity) =>
  claimNext(db, { executor: 'w', worker: 'w', companyConcurrency: 50, capacity })
const claimBuild = (capacity: RunCapacity) =>
  claimNextAttempt(db, { worker: 'w', leaseMs: 60_000, share: buildSlots({ slots: 3, capacity }) })

/** Claims runs until none may start; returns their ids. */
async function claimRuns(capacity: RunCapacity): Promise<string[]> {
  const ids: string[] = []
  for (let run = await claimRun(capacity); run; run = await claimRun(capacity)) ids.push(run.id)
  return ids
}

const endRun = (id: string) =>
  db
    .updateTable('runs')
    .set({ state: 'cancelled', started_at: new Date(), terminal_at: new Date() })
    .where('id', '=', id)
    .execute()
const endBuild = (id: string) =>
  db
    .updateTable('build_attempts')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('id', '=', id)
    .execute()

beforeEach(async () => {
  await cancelLiveRuns(db)
  await db
    .updateTable('build_attempts')
    .set({ state: 'cancelled', terminal_at: sql`now()` })
    .where('terminal_at', 'is', null)
    .execute()
  await db.deleteFrom('build_memory_turn').execute()
})

/** A host full of short runs, with many more queued. */
async function fillWithRuns(): Promise<string[]> {
  const companies = await makeCompanies(4)
  for (const company of companies) await queueRuns(company, 10)
  const live = await claimRuns(host)
  expect(live.length).toBeGreaterThanOrEqual(13)
  return live
}

describe('a large build', () => {
  it('starts beside a stream of runs that takes all memory as it becomes free', async () => {
    const live = await fillWithRuns()
    const id = await queueBuild(await makeCompany(), { profile: 'large' })
    const started: string[] = []
    for (const ended of live) {
      const build = await claimBuild(host)
      if (build) started.push(build.id)
      if (started.length > 0) break
      await endRun(ended)
      await claimRuns(host)
    }
    expect(started).toEqual([id])
  })

  it('starts beside a stream of small builds', async () => {
    const others = await makeCompanies(6)
    for (const company of others.slice(0, 3)) await queueBuild(company)
    const small = [await claimBuild(smallHost), await claimBuild(smallHost), await claimBuild(smallHost)]
    const id = await queueBuild(await makeCompany(), { profile: 'large', waitedMinutes: 5 })
    for (const company of others.slice(3)) await queueBuild(company)
    await endBuild(small[0]?.id ?? '')
    expect(await claimBuild(smallHost)).toBeUndefined()
    await endBuild(small[1]?.id ?? '')
    expect((await claimBuild(smallHost))?.id).toBe(id)
  })

  it('reserves nothing in its first minute, nor once nobody claims builds', async () => {
    const [first, second] = await fillWithRuns()
    const id = await queueBuild(await makeCompany(), { profile: 'large', waitedMinutes: 0 })
    await claimBuild(host)
    await endRun(first ?? '')
    expect(await claimRuns(host)).toHaveLength(1)
    await db
      .updateTable('build_attempts')
      .set({ queued_at: minutesAgo(2) })
      .where('id', '=', id)
      .execute()
    await claimBuild(host)
    await endRun(second ?? '')
    expect(await claimRuns(host)).toHaveLength(0)
    const before = new Date(Date.now() - 31_000)
    await db.updateTable('build_memory_turn').set({ reserved_at: before, renewed_at: before }).execute()
    expect(await claimRuns(host)).toHaveLength(1)
  })

  it('keeps no small run of a company without one from its place', async () => {
    await queueRuns(await makeCompany(), 40)
    expect(await claimRuns(host)).toHaveLength(13)
    await queueBuild(await makeCompany(), { profile: 'large' })
    await claimBuild(host)
    const quiet = await makeCompany()
    const id = await queueRun(quiet)
    await queueRun(quiet)
    expect(await claimRuns(host)).toEqual([id])
  })

  it('lets pass what ends before it could start, so that runs of a week keep no memory idle for it', async () => {
    await queueRuns(await makeCompany(), 11, { timeout_seconds: 604_680 })
    expect(await claimRuns(host)).toHaveLength(11)
    await queueBuild(await makeCompany(), { profile: 'large' })
    expect(await claimBuild(host)).toBeUndefined()
    await queueRuns(await makeCompany(), 3)
    expect(await claimRuns(host)).toHaveLength(2)
  })

  it('and a large run that waits for it keep no memory idle for the run', async () => {
    const sleeper = await makeCompany()
    await queueRuns(sleeper, 9, { timeout_seconds: 604_680 })
    expect(await claimRuns(host)).toHaveLength(9)
    await queueBuild(await makeCompany(), { profile: 'large' })
    expect(await claimBuild(host)).toBeUndefined()
    await queueRun(await makeCompany(), { resource_profile: 'large', timeout_seconds: 604_680 })
    expect(await claimRuns(host)).toEqual([])
    const short = await queueRun(sleeper, { timeout_seconds: 60 })
    expect(await claimRuns(host)).toEqual([short])
  })

  it('keeps its reservation when the clock is set back', async () => {
    await fillWithRuns()
    const id = await queueBuild(await makeCompany(), { profile: 'large' })
    await claimBuild(host)
    const later = new Date(Date.now() + 3_600_000)
    await db.updateTable('build_memory_turn').set({ reserved_at: later, renewed_at: later }).execute()
    expect(await claimBuild(host)).toBeUndefined()
    const [turn] = await db.selectFrom('build_memory_turn').selectAll().execute()
    expect(turn?.attempt_id).toBe(id)
    expect(turn?.renewed_at.getTime()).toBeLessThan(later.getTime())
  })

  it('on a host that is hardly larger leaves memory for the first run of a company', async () => {
    const tiny = runCapacity({ slots: 16, memoryMib: 7 * gib })
    const id = await queueBuild(await makeCompany(), { profile: 'large' })
    expect((await claimBuild(tiny))?.id).toBe(id)
    const run = await queueRun(await makeCompany())
    expect(await claimRuns(tiny)).toEqual([run])
  })
})

describe('a large run', () => {
  it('starts beside a stream of small builds that would take its memory', async () => {
    const builds = await makeCompanies(6)
    for (const company of builds) await queueBuild(company)
    const first = await claimBuild(smallHost)
    await claimBuild(smallHost)
    await claimBuild(smallHost)
    const id = await queueRun(await makeCompany(), { resource_profile: 'large', queued_at: minutesAgo(10) })
    expect(await claimRuns(smallHost)).toEqual([])
    await endBuild(first?.id ?? '')
    expect(await claimBuild(smallHost)).toBeUndefined()
    expect(await claimRuns(smallHost)).toEqual([id])
  })

  it('leaves small builds the memory that is reserved for builds', async () => {
    await queueRuns(await makeCompany(), 3, { resource_profile: 'large' })
    expect(await claimRuns(host)).toHaveLength(3)
    await queueRun(await makeCompany(), { resource_profile: 'large', queued_at: minutesAgo(10) })
    const id = await queueBuild(await makeCompany())
    expect((await claimBuild(host))?.id).toBe(id)
  })

  it('and a large build start in turn, whatever one company has queued before', async () => {
    const first = await queueBuild(await makeCompany(), { profile: 'large' })
    await claimBuild(smallHost)
    const many = await makeCompany()
    const large = { resource_profile: 'large', queued_at: minutesAgo(60) }
    await queueRuns(many, 3, large)
    const build = await queueBuild(await makeCompany(), { profile: 'large', waitedMinutes: 30 })
    await endBuild(first)
    expect(await claimBuild(smallHost)).toBeUndefined()
    const [run, ...none] = await claimRuns(smallHost)
    expect([run, none]).toEqual([expect.any(String), []])
    await endRun(run ?? '')
    expect(await claimRuns(smallHost)).toEqual([])
    expect((await claimBuild(smallHost))?.id).toBe(build)
  })

  it('has its memory behind more companies than a claim tries at once', async () => {
    await queueRuns(await makeCompany(), 13)
    expect(await claimRuns(host)).toHaveLength(13)
    await queueRun(await makeCompany(), { resource_profile: 'large' })
    for (const company of await makeCompanies(70)) await queueRun(company, { timeout_seconds: 3600 })
    const [live] = await db.selectFrom('runs').select('id').where('state', '=', 'starting').limit(1).execute()
    await endRun(live?.id ?? '')
    expect(await claimRuns(host)).toEqual([])
  })

  it('that its company may not start yet keeps no memory idle', async () => {
    const bound = await makeCompany()
    await db
      .insertInto('company_settings')
      .values({
        company_id: bound.companyId,
        run_content_retention_days: 1,
        unreferenced_image_retention_days: 1,
        allowed_regions: ['onprem'],
        timeout_ceiling_seconds: 604_680,
        active_environment_limit: 1,
        capacity_retained_version_limit: 1,
        run_timeout_bound_seconds: 3600,
      })
      .execute()
    await queueRun(bound, { timeout_seconds: 604_680 })
    await claimRuns(host)
    await queueRuns(await makeCompany(), 10)
    await claimRuns(host)
    await queueRun(bound, { timeout_seconds: 604_680, resource_profile: 'large' })
    await queueRuns(await makeCompany(), 2, { timeout_seconds: 3600 })
    expect(await claimRuns(host)).toHaveLength(2)
  })

  it('lets the first run of a company pass, however many others passed before', async () => {
    const busy = await makeCompany()
    await queueRuns(busy, 10)
    expect(await claimRuns(host)).toHaveLength(10)
    await queueRun(await makeCompany(), { resource_profile: 'large' })
    expect(await claimRuns(host)).toEqual([])
    await queueRuns(busy, 3, { timeout_seconds: 60 })
    expect(await claimRuns(host)).toHaveLength(3)
    const id = await queueRun(await makeCompany())
    expect(await claimRuns(host)).toEqual([id])
  })
})
