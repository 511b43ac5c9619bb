import { type Expression, type SqlBool, sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import { type ListedRun, olderThan, queuedAtUs } from './run-store.ts'

export interface VisibleRunFilter {
  companyId: string
  /** Undefined: every room of the company. */
  readableRoomIds: readonly string[] | undefined
  chatroomId?: string | undefined
  taskId?: string | undefined
  states?: readonly string[] | undefined
  method?: 'agent' | 'manual' | undefined
  /** At this instant or later. */
  queuedFrom?: Date | undefined
  queuedBefore?: Date | undefined
}

export interface VisibleRunRow extends ListedRun {
  chatroom_name: string
  task_name: string
}

/** Conditions on `runs` as one expression, for the list and for its total. */
function matching(filter: VisibleRunFilter): Expression<SqlBool> {
  const { readableRoomIds, chatroomId, taskId, states, method, queuedFrom, queuedBefore } = filter
  const all = [sql`runs.company_id = ${filter.companyId}`]
  if (readableRoomIds) all.push(sql`runs.chatroom_id = any(${readableRoomIds})`)
  if (chatroomId !== undefined) all.push(sql`runs.chatroom_id = ${chatroomId}`)
  if (taskId !== undefined) all.push(sql`runs.task_id = ${taskId}`)
  if (states) all.push(sql`runs.state = any(${states})`)
  if (method !== undefined) all.push(sql`(runs.submission_source = 'agent') = ${method === 'agent'}`)
  if (queuedFrom) all.push(sql`runs.queued_at >= ${queuedFrom}`)
  if (queuedBefore) all.push(sql`runs.queued_at < ${queuedBefore}`)
  return sql<SqlBool>`${sql.join(all, sql` and `)}`
}

/** Newest first by (`queued_at`, `id`). Reads runs, chatrooms and tasks; writes nothing. */
export function listVisibleRunRows(
  db: Executing,
  filter: VisibleRunFilter,
  page: { before: { queuedAtUs: number; id: string } | undefined; limit: number },
): Promise<VisibleRunRow[]> {
  let query = db
    .selectFrom('runs')
    .innerJoin('chatrooms', 'chatrooms.id', 'runs.chatroom_id')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .selectAll('runs')
    .select([queuedAtUs.as('queued_at_us'), 'chatrooms.name as chatroom_name', 'tasks.name as task_name'])
    .where(matching(filter))
  if (page.before) query = query.where(olderThan(page.before))
  return query.orderBy('runs.queued_at', 'desc').orderBy('runs.id', 'desc').limit(page.limit).execute()
}

/** Every row that the filter matches, whatever the page. */
export async function countVisibleRuns(db: Executing, filter: VisibleRunFilter): Promise<number> {
  const { total } = await db
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(matching(filter))
    .executeTakeFirstOrThrow()
  return total
}
