import { shareGrantMachine } from '@sandbox-jobs/contract/states/grant-states.ts'
import { type Expression, type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'
import type { ShareGrantsTable } from '../db/tables/tasks.ts'
import { noteCreated, transition } from '../db/transition.ts'
import type { Room } from '../platform/directory.ts'
import { appliesToRoom, type RoomTerms } from './share-statement.ts'

export type ShareRow = Selectable<ShareGrantsTable>

export interface ShareTarget {
  kind: string
  id: string
}

/** Writes the table `share_grants`. */
export async function insertShare(trx: Trx, share: Insertable<ShareGrantsTable>): Promise<ShareRow> {
  const row = await trx.insertInto('share_grants').values(share).returningAll().executeTakeFirstOrThrow()
  await noteCreated(trx, {
    machine: shareGrantMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

export const findShare = (
  db: Executing,
  key: { companyId: string; taskId: string; id: string },
): Promise<ShareRow | undefined> =>
  db
    .selectFrom('share_grants')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('task_id', '=', key.taskId)
    .where('id', '=', key.id)
    .executeTakeFirst()

/** The latest grant of a task to a target, whatever its state. */
export const latestShareTo = (
  db: Executing,
  key: { companyId: string; taskId: string; target: ShareTarget },
): Promise<ShareRow | undefined> =>
  db
    .selectFrom('share_grants')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('task_id', '=', key.taskId)
    .where('target_kind', '=', key.target.kind)
    .where('target_id', '=', key.target.id)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()

/** False when the grant had ended already. */
export async function revokeShareRow(
  trx: Trx,
  { id, company_id }: Pick<ShareRow, 'id' | 'company_id'>,
  set: { revoked_at: Date; revoke_reason: string },
): Promise<boolean> {
  const left = await transition(trx, {
    table: 'share_grants',
    machine: shareGrantMachine,
    id,
    companyId: company_id,
    to: 'revoked',
    set,
  })
  return left !== undefined
}

export interface ShareListFilter {
  companyId: string
  taskId: string
  /** Undefined: every state. */
  states: readonly string[] | undefined
  afterId: string | undefined
  limit: number
}

export function listShares(db: Executing, filter: ShareListFilter): Promise<ShareRow[]> {
  let query = db
    .selectFrom('share_grants')
    .selectAll()
    .where('company_id', '=', filter.companyId)
    .where('task_id', '=', filter.taskId)
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  return query.orderBy('id').limit(filter.limit).execute()
}

/**
 * The id of the grant by which a room may use the task now, in the same order. Each target is looked up for itself, or a
 * plan that was made while there were few shares might walk all of them.
 */
export const applicableShareId = (taskId: RawBuilder<string>, room: RoomTerms): RawBuilder<string | null> => {
  const madeTo = (kind: string, id: RoomTerms['id']) => sql`
    select share_grants.id from share_grants
    where share_grants.task_id = ${taskId} and share_grants.target_kind = ${sql.lit(kind)}
      and share_grants.target_id = ${id} and share_grants.company_id = ${room.company_id}
      and share_grants.state = 'active'`
  return sql<string | null>`coalesce(
    (${madeTo('chatroom', room.id)} and share_grants.target_authority_generation = ${room.authority_generation}),
    (${madeTo('department', room.department_id)}),
    (${madeTo('company', room.company_id)})
  )`
}

/** The grant made to the narrowest target rules: the room's own before its department's before the company's. */
export const narrowestFirst = sql<number>`
  case share_grants.target_kind when 'chatroom' then 0 when 'department' then 1 else 2 end`

/** The grant by which a room may use a task now. */
export const applicableShareOf = (db: Executing, room: Room, taskId: string): Promise<ShareRow | undefined> =>
  db
    .selectFrom('share_grants')
    .selectAll()
    .where('task_id', '=', taskId)
    .where(appliesToRoom(room))
    .orderBy(narrowestFirst)
    .limit(1)
    .executeTakeFirst()

/** What a caller's rooms and managed departments let shares reach. */
export interface Reach {
  companyId: string
  roomIds: readonly string[]
  departmentIds: readonly string[]
}

/** SQL condition on `share_grants`: live, and made to the company or to something within the reach. */
export const reaches = (reach: Reach): Expression<SqlBool> => sql<SqlBool>`
  share_grants.state = 'active' and share_grants.company_id = ${reach.companyId} and (
    share_grants.target_kind = 'company'
    or (share_grants.target_kind = 'department' and share_grants.target_id = any(${reach.departmentIds}))
    or exists (
      select from chatrooms room
      where room.id = any(${reach.roomIds}) and room.deleted_at is null and (
        (share_grants.target_kind = 'chatroom' and share_grants.target_id = room.id
          and share_grants.target_authority_generation = room.authority_generation)
        or (share_grants.target_kind = 'department' and share_grants.target_id = room.department_id)))
  )`

export async function isSharedWithin(db: Executing, reach: Reach, taskId: string): Promise<boolean> {
  const found = await db
    .selectFrom('share_grants')
    .select('id')
    .where('task_id', '=', taskId)
    .where(reaches(reach))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Present authority generations of the chatrooms among the targets; deleted rooms are absent. */
export async function roomGenerations(
  db: Executing,
  companyId: string,
  shares: readonly ShareRow[],
): Promise<Map<string, number>> {
  const ids = shares.filter((share) => share.target_kind === 'chatroom').map((share) => share.target_id)
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('chatrooms')
    .select(['id', 'authority_generation'])
    .where('company_id', '=', companyId)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row.authority_generation]))
}
