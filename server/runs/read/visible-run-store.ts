import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { dayMs } from '../../base/clock.ts'
import type { Executing } from '../../db/database.ts'
import { arrayParam, opaqueParam } from '../../db/fast/params.ts'
import { countRuns } from '../history/run-count-store.ts'
import { type ListedRun, olderThan, queuedAtUs } from '../model/run-store.ts'

export interface VisibleRunFilter {
  companyId: string
  /** Undefined: every room of the company. */
  roomIds: readonly string[] | undefined
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

const all = (conditions: readonly Expression<unknown>[]) =>
  sql<SqlBool>`${sql.join([sql`true`, ...conditions], sql` and `)}`

/** Conditions on columns that the run counts have too. */
function placed({ roomIds, method }: VisibleRunFilter): Expression<SqlBool> {
  const conditions = []
  if (roomIds) conditions.push(sql`runs.chatroom_id = any(${arrayParam(roomIds, 'text')}::text[])`)
  if (method !== undefined) conditions.push(sql`(runs.submission_source = 'agent') = ${method === 'agent'}`)
  return all(conditions)
}

/** All conditions of the filter on `runs`. */
export const matching = (filter: VisibleRunFilter): Expression<SqlBool> =>
  all([sql`runs.company_id = ${filter.companyId}`, anywhere(filter)])

/** All conditions except the company. */
function anywhere(filter: VisibleRunFilter): Expression<SqlBool> {
  const { taskId, states, queuedFrom, queuedBefore } = filter
  const conditions = [placed(filter)]
  if (taskId !== undefined) conditions.push(sql`runs.task_id = ${taskId}`)
  if (states) conditions.push(sql`runs.state = any(${states})`)
  if (queuedFrom) conditions.push(sql`runs.queued_at >= ${opaqueParam(queuedFrom, 'timestamptz')}`)
  if (queuedBefore) conditions.push(sql`runs.queued_at < ${opaqueParam(queuedBefore, 'timestamptz')}`)
  return all(conditions)
}

const newestFirst = sql`order by runs.queued_at desc, runs.id desc`

/** The caller's rooms, each selected by id. */
const roomsOf = (companyId: string, roomIds: readonly string[]) => sql`
  unnest(${arrayParam(roomIds, 'text')}) as requested (id) cross join lateral (
    select id from chatrooms where id = requested.id and company_id = ${companyId} limit 1) room`

/** The runs of one room that match the filter, ignoring its rooms. */
const inRoom = (filter: VisibleRunFilter) =>
  sql`runs.chatroom_id = room.id and ${anywhere({ ...filter, roomIds: undefined })}`

/**
 * Columns of the newest runs that match. Those of each room are read by its index, so that a caller with few rooms does not scan the runs
 * of all others.
 */
export function newestMatching(
  filter: VisibleRunFilter,
  { columns, older, limit }: { columns: RawBuilder<unknown>; older: RawBuilder<unknown>; limit: number },
): RawBuilder<unknown> {
  const { companyId, roomIds } = filter
  const bound = sql`limit ${opaqueParam(limit, 'bigint')}`
  // A run has its room's company. Comparing it per run too makes the planner expect few rows and sort the whole room.
  const newest = roomIds
    ? sql`select runs.* from ${roomsOf(companyId, roomIds)} cross join lateral (
        select ${columns} from runs where ${inRoom(filter)} and ${older} ${newestFirst} ${bound}) runs`
    : sql`select ${columns} from runs where ${matching(filter)} and ${older}`
  return sql`select * from (${newest}) runs ${newestFirst} ${bound}`
}

/** Newest first by (`queued_at`, `id`). Reads runs, chatrooms and tasks; writes nothing. */
export async function listVisibleRunRows(
  db: Executing,
  filter: VisibleRunFilter,
  page: { before: { queuedAtUs: number; id: string } | undefined; limit: number },
): Promise<VisibleRunRow[]> {
  const older = page.before ? olderThan(page.before) : sql`true`
  const newest = newestMatching(filter, { columns: sql`*`, older, limit: page.limit })
  const { rows } = await sql<VisibleRunRow>`
    select runs.*, ${queuedAtUs} as queued_at_us,
      (select name from chatrooms where chatrooms.id = runs.chatroom_id and chatrooms.company_id = runs.company_id) as chatroom_name,
      (select name from tasks where tasks.id = runs.task_id and tasks.company_id = runs.company_id) as task_name
    from (${newest}) runs
    ${newestFirst}
  `.execute(db)
  return rows
}

/**
 * Number of rows that match the filter, on all pages. For a period, whole days are read from the counts, and only the rest
 * at both ends is counted row by row.
 */
export async function countVisibleRuns(db: Executing, filter: VisibleRunFilter): Promise<number> {
  const { companyId, taskId, states, queuedFrom, queuedBefore } = filter
  const from = queuedFrom && midnight(queuedFrom, Math.ceil)
  const before = queuedBefore && midnight(queuedBefore, Math.floor)
  if (from && before && from >= before) return countRows(db, filter)
  const days = from || before ? { from, before } : undefined
  const parts = await Promise.all([
    countRuns(db, { companyId, taskId, states, days, where: placed(filter) }),
    from ? countRows(db, { ...filter, queuedBefore: from }) : 0,
    before ? countRows(db, { ...filter, queuedFrom: before }) : 0,
  ])
  return parts.reduce((total, part) => total + part, 0)
}

/** The next or the previous midnight in UTC. */
const midnight = (at: Date, round: (days: number) => number): Date =>
  new Date(round(at.getTime() / dayMs) * dayMs)

async function countRows(db: Executing, filter: VisibleRunFilter): Promise<number> {
  const { companyId, roomIds } = filter
  const counted = roomIds
    ? sql`${roomsOf(companyId, roomIds)} cross join lateral (select from runs where ${inRoom(filter)}) runs`
    : sql`runs where ${matching(filter)}`
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${counted}`.execute(db)
  return rows[0]?.total ?? 0
}
