import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { listOf } from '../db/list-of.ts'

/* The table `queue_turns`. Triggers on `runs` put companies into it, and a claim moves the one it serves to the end. */

/**
 * Takes those of the companies out that have nothing queued any more, and answers how many. One whose queue is being
 * added to holds its turn, and is passed over; what is counted is counted after that was tried, so that nothing queued
 * meanwhile is without a turn.
 */
export async function dropIdleTurns(db: Database, companyIds: readonly string[]): Promise<number> {
  if (companyIds.length === 0) return 0
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ company_id: string }>`
      select company_id from queue_turns turn where company_id = any(${listOf(companyIds, 'text')}::text[])
        and ${nothingQueued}
      order by company_id for update skip locked
    `.execute(trx)
    if (rows.length === 0) return 0
    const idle = rows.map((row) => row.company_id)
    const { numAffectedRows } = await sql`
      delete from queue_turns turn where company_id = any(${listOf(idle, 'text')}::text[])
        and ${nothingQueued}
    `.execute(trx)
    return Number(numAffectedRows ?? 0)
  })
}

/** Asked of one company at a time, by its index: as a join Postgres may read the queues of all. */
const nothingQueued = sql`(
  select id from runs where state = 'queued' and runs.company_id = turn.company_id order by queued_at, id limit 1
) is null`
