import { sql } from 'kysely'
import { lockCompany } from '../../db/company-lock.ts'
import type { Database, Trx } from '../../db/database.ts'
import { keptBytesOf, keptLimitOf } from '../../db/kept-bytes.ts'

/*
 * Quota for results that are not stored yet. Of several runs of a company that end together, on whatever executors, each sees
 * the reservations of the others, so they do not exceed the quota together. A reservation needs no release: it counts while
 * its run is at work under the same fence, and the statement that ends the run counts its bytes.
 */

/**
 * Results up to this size are stored without reading the company's quota, so that small results cost no statement. A company
 * with a full quota starts no run, so it exceeds the quota by at most this much per active run.
 */
export const smallBytes = 64 * 1024

/**
 * Condition on a row `reserved`. The bytes of a run that has ended are counted or not stored. One that was claimed again reserves
 * again. The statement that adds reservations to counted bytes repeats it: a run that ends meanwhile would be added twice.
 */
const isUnsettled = sql<boolean>`exists (
        select from runs where runs.id = reserved.run_id and runs.company_id = reserved.company_id
          and runs.fence = reserved.fence and runs.terminal_at is null)`

/**
 * Whether the quota of a company has room beside all reservations but that of `runId`. No other transaction takes it before this
 * one has ended.
 */
export async function lockRoom(trx: Trx, companyId: string, bytes: number, runId = ''): Promise<boolean> {
  if (bytes <= smallBytes) return true
  await lockCompany(trx, companyId, 'results')
  await deleteSettled(trx, companyId)
  const company = sql`${companyId}::text`
  const { rows } = await sql<{ fits: boolean }>`
    select coalesce(${keptBytesOf(company)} + others.bytes + ${bytes} <= ${keptLimitOf(company)}, true) as fits
    from (
      select coalesce(sum(bytes), 0)::bigint as bytes from storage_reservations reserved
      where company_id = ${companyId} and run_id <> ${runId} and ${isUnsettled}
    ) others
  `.execute(trx)
  return rows[0]?.fits ?? false
}

/** Reserves quota for the results of a run; false: there is no room. It may be repeated. */
export function reserveStorage(
  db: Database,
  { id, companyId, fence }: { id: string; companyId: string; fence: number },
  bytes: number,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockRoom(trx, companyId, bytes, id))) return false
    await sql`
      insert into storage_reservations as present (run_id, company_id, fence, bytes)
      values (${id}, ${companyId}, ${fence}, ${bytes})
      on conflict (run_id) do update set fence = excluded.fence, bytes = excluded.bytes
        where present.company_id = excluded.company_id and present.fence < excluded.fence
    `.execute(trx)
    return true
  })
}

const deleteSettled = (trx: Trx, companyId: string): Promise<unknown> =>
  sql`
    delete from storage_reservations reserved where company_id = ${companyId} and not ${isUnsettled}
  `.execute(trx)
