import { type QueryExecutorProvider, sql } from 'kysely'
import { settleAll } from '../../base/settle-all.ts'
import { lockCompany } from '../../db/company-lock.ts'
import type { Database } from '../../db/database.ts'
import { pipelinedTransaction } from '../../db/fast/pipelined-transaction.ts'
import { prepared } from '../../db/fast/prepared.ts'
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

const findRoom = prepared<{ companyId: string; bytes: number; runId: string }, { fits: boolean }>(
  ({ companyId, bytes, runId }) => sql`
    select coalesce(${keptBytesOf(sql`${companyId}::text`)} + others.bytes + ${bytes}::bigint
      <= ${keptLimitOf(sql`${companyId}::text`)}, true) as fits
    from (
      select coalesce(sum(bytes), 0)::bigint as bytes from storage_reservations reserved
      where company_id = ${companyId} and run_id <> ${runId} and ${isUnsettled}
    ) others
  `,
)

/** Reserves where there is room, and deletes reservations of the company that do not count any more. */
const reserve = prepared<
  { runId: string; companyId: string; fence: number; bytes: number; fits: boolean },
  never
>(
  ({ runId, companyId, fence, bytes, fits }) => sql`
    with settled as (
      delete from storage_reservations reserved
      where company_id = ${companyId} and run_id <> ${runId} and not ${isUnsettled}
    )
    insert into storage_reservations as present (run_id, company_id, fence, bytes)
    select ${runId}::text, ${companyId}::text, ${fence}::bigint, ${bytes}::bigint where ${fits}::boolean
    on conflict (run_id) do update set fence = excluded.fence, bytes = excluded.bytes
      where present.company_id = excluded.company_id and present.fence < excluded.fence
  `,
)

/**
 * Whether the quota of a company has room beside all reservations but that of `runId`. No other transaction takes it before this
 * one has ended.
 */
export async function lockRoom(
  trx: QueryExecutorProvider,
  companyId: string,
  bytes: number,
  runId = '',
): Promise<boolean> {
  if (bytes <= smallBytes) return true
  const found = await settleAll([
    lockCompany(trx, companyId, 'results'),
    findRoom(trx, { companyId, bytes, runId }),
  ])
  return found[1][0]?.fits ?? false
}

/** Reserves quota for the results of a run, in two round trips; false: there is no room. It may be repeated. */
export async function reserveStorage(
  db: Database,
  { id: runId, companyId, fence }: { id: string; companyId: string; fence: number },
  bytes: number,
): Promise<boolean> {
  if (bytes <= smallBytes) return true
  return pipelinedTransaction(db, {
    read: (trx) => lockRoom(trx, companyId, bytes, runId),
    write: async (trx, fits) => {
      await reserve(trx, { runId, companyId, fence, bytes, fits })
      return fits
    },
  })
}
