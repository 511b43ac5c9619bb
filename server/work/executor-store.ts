import { sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database } from '../db/database.ts'
import { isDriven } from './executor-statement.ts'

/* Changes of executors by an operator. */

/** False: there is no such executor. */
export async function setDraining(db: Database, id: string, draining: boolean): Promise<boolean> {
  const { rows } =
    await sql`update executors set draining = ${draining} where id = ${id} returning id`.execute(db)
  return rows.length > 0
}

/** Tables with rows of an executor. */
const rowsOf = ['workers', 'base_images', 'host_image_removals', 'process_metrics', 'build_memory_turn']

/**
 * Removes an executor whose machine is gone. The leases of its runs expire, so that another worker ends them as lost. Nothing
 * changes if a worker drives it.
 */
export function removeExecutor(db: Database, id: string): Promise<'removed' | 'unknown' | 'driven'> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ driven: boolean }>`
      select ${isDriven} as driven from executors where id = ${id} for update`.execute(trx)
    const [executor] = rows
    if (!executor) return 'unknown'
    if (executor.driven) return 'driven'
    await sql`${acrossCompanies('the operator gives up an executor')}
      update runs set lease_until = now() - interval '1 second'
      where executor = ${id} and worker is not null and terminal_at is null`.execute(trx)
    for (const table of rowsOf) await sql`delete from ${sql.table(table)} where executor = ${id}`.execute(trx)
    await sql`delete from executors where id = ${id}`.execute(trx)
    return 'removed'
  })
}
