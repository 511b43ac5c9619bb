import { type QueryExecutorProvider, sql } from 'kysely'
import { settleAll } from '../base/settle-all.ts'
import { arrayParam } from './fast/params.ts'
import { prepared } from './fast/prepared.ts'

/**
 * Serializes transactions that count before they write: two requests of one company on the same `subject` never count
 * the same free slot. Held until the transaction ends. Other companies and subjects do not wait.
 */
export async function lockCompany(
  trx: QueryExecutorProvider,
  companyId: string,
  subject: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${subject}:${companyId}`}, 0))`.execute(trx)
}

/**
 * Locks queues of companies until the transaction ends: each of several concurrent submissions sees the earlier ones, so
 * limits and budgets are exact. With the fleet, no other transaction queues a run for anybody. All callers lock in the same
 * order, so no deadlock is possible. The advisory keys are a namespace of this file.
 */
export async function lockQueues(
  trx: QueryExecutorProvider,
  companyIds: readonly string[],
  { fleet }: { fleet: boolean },
): Promise<void> {
  await settleAll([...(fleet ? [lockFleet(trx, {})] : []), lockCompanies(trx, { ids: companyIds })])
}

const companyLock = 7203
const fleetLock = 7204

const lockFleet = prepared(() => sql`select pg_advisory_xact_lock(${sql.lit(fleetLock)}, 0)`)

const lockCompanies = prepared<{ ids: readonly string[] }, unknown>(
  ({ ids }) => sql`
    select pg_advisory_xact_lock(${sql.lit(companyLock)}, key)
    from (select distinct hashtext(id) as key from unnest(${arrayParam(ids, 'text')}) as company (id) order by key) keys
  `,
)
