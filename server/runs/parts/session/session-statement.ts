import { sql } from 'kysely'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'

/** The session of a claimed run, as its row names it. */
export interface JobSession {
  tree_id: string | null
  size_limit_bytes: number
}

export interface SessionRow {
  session_id: string | null
  /** Null for a run without one, and for a run that does not hold it. */
  session: JobSession | null
}

export const sessionColumns: ColumnExpressions<SessionRow> = {
  session_id: sql`run.session_id`,
  session: sql`(
      select jsonb_build_object('tree_id', session.tree_id, 'size_limit_bytes', session.size_limit_bytes)
      from sessions session where session.id = run.session_id and session.company_id = run.company_id
        and session.holder_run_id = run.id)`,
}
