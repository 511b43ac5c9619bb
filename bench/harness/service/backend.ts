import { sql } from 'kysely'
import type { Database } from '../../../server/db/database.ts'

/** The process of the one connection to a database; another one after a pause. */
export async function backendOf(db: Database): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  if (!rows[0]) throw new Error('no backend')
  return rows[0].pid
}
