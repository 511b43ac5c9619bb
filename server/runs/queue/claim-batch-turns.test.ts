import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { claimBatch } from './claim-batch-store.ts'
import { foldLiveRuns } from './live-run-store.ts'

const { db } = await createTestDatabase()
const perCompany = 400
const options = {
  executor: '1'.repeat(32),
  companyConcurrency: 1000,
  capacity: runCapacity({ slots: 40_000 }),
}

interface Taken {
  id: string
  companyId: string
}

async function makeQueue(): Promise<string> {
  const { companyId, roomId } = await makeTenant(db)
  const id = await makeRun(db, await makeRunnableTask(db, companyId), { chatroom_id: roomId })
  await sql`
    insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile,
      principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest, queued_at)
    select ${id} || '_' || n, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile,
      principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest, queued_at
    from runs cross join generate_series(2, ${sql.lit(perCompany)}) n where id = ${id} and company_id = ${companyId}`.execute(
    db,
  )
  return companyId
}

/** Claims until nothing is left; the batches by the time of their first claim. One is claimed at a time, so they do not overlap. */
async function claimAll(workers: string[]): Promise<Taken[][]> {
  const batches: Taken[][] = []
  const work = async (worker: string) => {
    for (;;) {
      const batch = await claimBatch(db, { ...options, worker }, 32)
      if (batch.length === 0) return
      batches.push(batch)
      await foldLiveRuns({ db })
    }
  }
  await Promise.all(workers.map(work))
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'claimed_at'])
    .where('worker', 'in', workers)
    .execute()
  const claimedAt = new Map(rows.map((row) => [row.id, row.claimed_at?.getTime() ?? 0]))
  const firstOf = (batch: Taken[]) => Math.min(...batch.map(({ id }) => claimedAt.get(id) ?? 0))
  return batches.toSorted((a, b) => firstOf(a) - firstOf(b))
}

it('two workers claim 20,000 runs of 50 companies, each once and in turn', async () => {
  const companies = await Promise.all(Array.from({ length: 50 }, makeQueue))
  await sql`analyze`.execute(db)
  const batches = await claimAll(['one', 'two'])
  const taken = batches.flat().map(({ id }) => id)
  expect(taken).toHaveLength(companies.length * perCompany)
  expect(new Set(taken).size).toBe(taken.length)
  const got = new Map(companies.map((companyId) => [companyId, 0]))
  for (const batch of batches) {
    for (const { companyId } of batch) got.set(companyId, (got.get(companyId) ?? 0) + 1)
    expect(Math.max(...got.values()) - Math.min(...got.values())).toBeLessThanOrEqual(1)
  }
})
