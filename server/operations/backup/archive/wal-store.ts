import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { isSegmentName, type LogPosition, positionOf } from './segments.ts'

/**
 * Commits a transaction, by whose record recovery knows that every earlier moment is behind it, and returns where the log ends. All of the
 * log before this place is on the disk.
 */
export async function markLog(db: Database): Promise<LogPosition> {
  // A commit waits for the disk only if its transaction wrote something.
  await sql`select pg_logical_emit_message(true, 'sandbox-jobs', '')`.execute(db)
  const { rows } = await sql<{ lsn: string; timeline: number }>`
    select pg_current_wal_flush_lsn()::text as lsn, timeline_id as timeline from pg_control_checkpoint()
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('the write-ahead log has no end')
  return positionOf(row.lsn, row.timeline)
}

/** Segments on the disk of the database, in their order, also those that are to be written yet. */
export async function listSegments(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pg_ls_waldir() order by name`.execute(db)
  return rows.map(({ name }) => name).filter(isSegmentName)
}
