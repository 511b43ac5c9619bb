import { type Expression, type SqlBool, sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { countRuns } from './run-count-store.ts'

export interface TaskHistoryFilter {
  companyId: string
  taskId: string
  states?: readonly string[] | undefined
  method?: 'agent' | 'manual' | undefined
  executorKind?: 'internal_user' | 'external_user' | undefined
  sourceKind?: 'chatroom' | 'department' | 'external_platform' | undefined
  departmentId?: string | undefined
  chatroomId?: string | undefined
}

/** A run with the current names of its user or client, room and department. */
export interface TaskHistoryRow {
  id: string
  task_id: string
  task_version_id: string
  state: string
  queued_at: Date
  started_at: Date | null
  terminal_at: Date | null
  executor_kind: string
  executor_id: string
  /** Null if its user or client is gone. */
  executor_display_name: string | null
  /** Of an external person: the messaging channel. */
  channel: string | null
  source_kind: string
  chatroom_id: string
  chatroom_name: string
  department_id: string
  department_name: string
  submission_source: string
  resource_profile: string
  error_code: string
  /** Null: not settled, or without a price. */
  cost_micro: number | null
}

const executorKind = sql<string>`
  case runs.principal_type when 'user' then 'internal_user' else 'external_user' end`

/** A run submitted by a table trigger has no requesting room member: its source is the room's department. */
const sourceKind = sql<string>`
  case when runs.principal_type = 'social_media_client' then 'external_platform'
    when runs.submission_source = 'custom_table_trigger' then 'department'
    else 'chatroom' end`

/** Conditions on columns that the run counts have too. */
function placed({
  companyId,
  method,
  departmentId,
  chatroomId,
  ...filter
}: TaskHistoryFilter): Expression<SqlBool> {
  const all = [sql`true`]
  if (method !== undefined) all.push(sql`(runs.submission_source = 'agent') = ${method === 'agent'}`)
  if (filter.executorKind !== undefined) all.push(sql`${executorKind} = ${filter.executorKind}`)
  if (filter.sourceKind !== undefined) all.push(sql`${sourceKind} = ${filter.sourceKind}`)
  if (chatroomId !== undefined) all.push(sql`runs.chatroom_id = ${chatroomId}`)
  if (departmentId !== undefined) {
    all.push(sql`runs.chatroom_id in (
      select id from chatrooms where company_id = ${companyId} and department_id = ${departmentId})`)
  }
  return sql<SqlBool>`${sql.join(all, sql` and `)}`
}

/** Conditions on `runs`. */
function matching(filter: TaskHistoryFilter): Expression<SqlBool> {
  const { companyId, taskId, states } = filter
  const ofState = states ? sql`runs.state = any(${states})` : sql`true`
  return sql<SqlBool>`
    runs.company_id = ${companyId} and runs.task_id = ${taskId} and ${ofState} and ${placed(filter)}`
}

/** In the order of (`queued_at`, `id`). Reads runs, charges, chatrooms, departments, users and clients; writes nothing. */
export const listTaskHistory = (
  db: Executing,
  filter: TaskHistoryFilter,
  stretch: { offset: number; limit: number; order: 'asc' | 'desc' },
): Promise<TaskHistoryRow[]> =>
  db
    .selectFrom('runs')
    .innerJoin('chatrooms', 'chatrooms.id', 'runs.chatroom_id')
    .where(matching(filter))
    .innerJoin('departments', 'departments.id', 'chatrooms.department_id')
    .leftJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'runs.principal_id')
        .onRef('users.company_id', '=', 'runs.company_id')
        .on('runs.principal_type', '=', 'user'),
    )
    .leftJoin('social_media_clients as clients', (join) =>
      join
        .onRef('clients.id', '=', 'runs.principal_id')
        .onRef('clients.company_id', '=', 'runs.company_id')
        .on('runs.principal_type', '=', 'social_media_client'),
    )
    .leftJoin('charges', (join) =>
      join.onRef('charges.subject_id', '=', 'runs.id').onRef('charges.company_id', '=', 'runs.company_id'),
    )
    .select([
      'runs.id',
      'runs.task_id',
      'runs.task_version_id',
      'runs.state',
      'runs.queued_at',
      'runs.started_at',
      'runs.terminal_at',
      executorKind.as('executor_kind'),
      'runs.principal_id as executor_id',
      sql<string | null>`coalesce(users.display_name, clients.display_name)`.as('executor_display_name'),
      'clients.channel',
      sourceKind.as('source_kind'),
      'runs.chatroom_id',
      'chatrooms.name as chatroom_name',
      'chatrooms.department_id',
      'departments.name as department_name',
      'runs.submission_source',
      'runs.resource_profile',
      'runs.error_code',
      'charges.cost_micro',
    ])
    .orderBy('runs.queued_at', stretch.order)
    .orderBy('runs.id', stretch.order)
    .offset(stretch.offset)
    .limit(stretch.limit)
    .execute()

export const countTaskHistory = (db: Executing, filter: TaskHistoryFilter): Promise<number> =>
  countRuns(db, {
    companyId: filter.companyId,
    taskId: filter.taskId,
    states: filter.states,
    where: placed(filter),
  })
