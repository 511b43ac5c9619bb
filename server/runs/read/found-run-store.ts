import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { opaqueParam } from '../../db/fast/params.ts'
import { runById } from '../model/run-store.ts'
import { newestMatching, type VisibleRunFilter } from './visible-run-store.ts'

export interface FoundRunRow {
  id: string
  chatroom_id: string
  chatroom_name: string
  task_id: string
  task_name: string
  principal_id: string
  state: RunState
  error_code: string
  queued_at: Date | null
  started_at: Date | null
  terminal_at: Date | null
}

/** The present by the clock that says when runs are queued. */
export async function readNow(db: Executing): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database has no clock')
  return row.now
}

/** Runs that match, from `offset` on, newest first. Those before them are read from an index where the filter allows it. */
export async function listFoundRuns(
  db: Executing,
  filter: VisibleRunFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<FoundRunRow[]> {
  const { companyId } = filter
  const columns = sql`runs.id, runs.queued_at`
  const newest = newestMatching(filter, { columns, older: sql`true`, limit: offset + limit })
  const { rows } = await sql<FoundRunRow>`
    select runs.id, runs.chatroom_id, runs.task_id, runs.principal_id, runs.state, runs.error_code,
      runs.queued_at, runs.started_at, runs.terminal_at,
      (select name from chatrooms where chatrooms.id = runs.chatroom_id and chatrooms.company_id = runs.company_id) as chatroom_name,
      (select name from tasks where tasks.id = runs.task_id and tasks.company_id = runs.company_id) as task_name
    from (select * from (${newest}) newest order by queued_at desc, id desc
      offset ${opaqueParam(offset, 'bigint')}) page
    cross join ${runById('page.id')}
    where runs.company_id = ${companyId}
    order by page.queued_at desc, page.id desc
  `.execute(db)
  return rows
}
