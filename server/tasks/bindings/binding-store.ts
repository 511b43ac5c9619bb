import { bindingMachine } from '@sandbox-jobs/contract/states/grant-states.ts'
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { BindingsTable } from '../../db/tables/tasks.ts'
import { recordCreated, transition, transitionAll } from '../../db/transition.ts'

export type BindingRow = Selectable<BindingsTable>

export interface BindingKey {
  companyId: string
  chatroomId: string
  taskId: string
}

/** Writes the table `bindings`. */
export async function insertBinding(trx: Trx, binding: Insertable<BindingsTable>): Promise<BindingRow> {
  const row = await trx.insertInto('bindings').values(binding).returningAll().executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: bindingMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

/** The latest binding of a room to a task, in any state. */
export const latestBinding = (db: Executing, key: BindingKey): Promise<BindingRow | undefined> =>
  db
    .selectFrom('bindings')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('chatroom_id', '=', key.chatroomId)
    .where('task_id', '=', key.taskId)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Changes the pin of an enabled binding. */
export const movePin = (
  trx: Trx,
  binding: Pick<BindingRow, 'id' | 'company_id'>,
  set: Pick<BindingRow, 'task_version_id' | 'share_generation' | 'accepted_at'>,
): Promise<unknown> =>
  trx
    .updateTable('bindings')
    .set(set)
    .where('id', '=', binding.id)
    .where('company_id', '=', binding.company_id)
    .where('state', '=', 'enabled')
    .execute()

/** Returns false if the binding was already revoked. */
export async function revokeBinding(
  trx: Trx,
  { companyId, id }: { companyId: string; id: string },
  set: { revoked_at: Date; revoke_reason: string },
): Promise<boolean> {
  const left = await transition(trx, {
    table: 'bindings',
    machine: bindingMachine,
    id,
    companyId,
    to: 'revoked',
    set,
  })
  return left !== undefined
}

/** Revokes the bindings of all rooms to a task, however many, in one statement. */
export const revokeBindingsOf = (
  trx: Trx,
  task: { id: string; company_id: string },
  set: { revoked_at: Date; revoke_reason: string },
): Promise<void> =>
  transitionAll(
    trx,
    { table: 'bindings', machine: bindingMachine, to: 'revoked', set },
    { companyId: task.company_id, where: sql<SqlBool>`task_id = ${task.id}` },
  )

/** A binding with its room, which may be deleted, and its task. */
export interface BindingView extends BindingRow {
  department_id: string
  authority_generation: number
  room_deleted_at: Date | null
  /** A version was published after the pinned one, and is the current one of the task. */
  has_newer_version: boolean
}

/** Of a binding joined with its task: a pin that was archived may be later than the current version. */
export const hasNewerVersion = sql<boolean>`exists (
  select from task_versions newer
  join task_versions pinned on pinned.company_id = newer.company_id and pinned.id = bindings.task_version_id
  where newer.id = tasks.current_published_version_id and newer.company_id = bindings.company_id
    and (newer.published_at, newer.version_number) > (pinned.published_at, pinned.version_number)
)`

const views = (db: Executing, companyId: string) =>
  db
    .selectFrom('bindings')
    .innerJoin('chatrooms', 'chatrooms.id', 'bindings.chatroom_id')
    .innerJoin('tasks', 'tasks.id', 'bindings.task_id')
    .selectAll('bindings')
    .select([
      'chatrooms.department_id',
      'chatrooms.authority_generation',
      'chatrooms.deleted_at as room_deleted_at',
      hasNewerVersion.as('has_newer_version'),
    ])
    .where('bindings.company_id', '=', companyId)

export const findBindingView = (
  db: Executing,
  companyId: string,
  id: string,
): Promise<BindingView | undefined> => views(db, companyId).where('bindings.id', '=', id).executeTakeFirst()

export interface BindingListFilter {
  companyId: string
  taskId?: string | undefined
  /** Undefined: every room of the company. */
  chatroomIds: readonly string[] | undefined
  /** Undefined: every state. */
  states: readonly string[] | undefined
  beforeId: string | undefined
  limit: number
}

/** Newest first. */
export function listBindingViews(db: Executing, filter: BindingListFilter): Promise<BindingView[]> {
  let query = views(db, filter.companyId)
  if (filter.taskId !== undefined) query = query.where('bindings.task_id', '=', filter.taskId)
  if (filter.chatroomIds) {
    query = query.where(sql<boolean>`bindings.chatroom_id = any(${filter.chatroomIds})`)
  }
  if (filter.states) query = query.where('bindings.state', 'in', filter.states)
  if (filter.beforeId !== undefined) query = query.where('bindings.id', '<', filter.beforeId)
  return query.orderBy('bindings.id', 'desc').limit(filter.limit).execute()
}
