import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'

/* The table `queue_turns`. Triggers on `runs` insert companies, and a claim moves the company it serves to the end. */

/**
 * Deletes the turns of those companies that have nothing queued, and returns their number. A transaction that queues a run
 * holds the lock of its company's turn, which is then skipped. The queue is read again after the lock is taken, so a run
 * queued meanwhile never loses its turn.
 */
export async function dropIdleCompanies(db: Database, companyIds: readonly string[]): Promise<number> {
  if (companyIds.length === 0) return 0
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ company_id: string }>`
      select company_id from queue_turns turn where company_id = any(${arrayParam(companyIds, 'text')}::text[])
        and ${nothingQueued}
      order by company_id for update skip locked
    `.execute(trx)
    if (rows.length === 0) return 0
    const idle = rows.map((row) => row.company_id)
    const { numAffectedRows } = await sql`
      delete from queue_turns turn where company_id = any(${arrayParam(idle, 'text')}::text[])
        and ${nothingQueued}
    `.execute(trx)
    return Number(numAffectedRows ?? 0)
  })
}

/** A subquery per company, by its index: for a join Postgres might read the queues of all companies. */
const nothingQueued = sql`(
  select id from runs where state = 'queued' and runs.company_id = turn.company_id order by queued_at, id limit 1
) is null`
