import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Room } from './directory/directory.ts'

/*
 * The one rule of shares: which live grants on `share_grants` cover a room. Each statement that asks what a share lends is
 * made of these parts, whichever domain it belongs to.
 */

/** The columns of a room that decide, as values or as what a statement calls them. */
export type RoomTerms = {
  [Column in 'id' | 'company_id' | 'department_id' | 'authority_generation']:
    | Room[Column]
    | Expression<Room[Column]>
}

/** The columns of the room that a statement names `room`. */
export const roomInStatement = {
  id: sql.ref<string>('room.id'),
  company_id: sql.ref<string>('room.company_id'),
  department_id: sql.ref<string>('room.department_id'),
  authority_generation: sql.ref<number>('room.authority_generation'),
} satisfies RoomTerms

interface Target {
  kind: 'chatroom' | 'department' | 'company'
  id: RoomTerms['id']
  /** The authority under which the grant was made, for targets whose authority can change. */
  generation?: RoomTerms['authority_generation']
}

/**
 * The targets that cover a room, narrowest first: itself under its present authority, its present department, its
 * company.
 */
const targetsOf = (room: RoomTerms): Target[] => [
  { kind: 'chatroom', id: room.id, generation: room.authority_generation },
  { kind: 'department', id: room.department_id },
  { kind: 'company', id: room.company_id },
]

const isMadeTo = ({ kind, id, generation }: Target): RawBuilder<SqlBool> => {
  const target = sql<SqlBool>`share_grants.target_kind = ${sql.lit(kind)} and share_grants.target_id = ${id}`
  return generation === undefined
    ? target
    : sql`${target} and share_grants.target_authority_generation = ${generation}`
}

const covers = (room: RoomTerms): RawBuilder<SqlBool> =>
  sql`(${sql.join(
    targetsOf(room).map((target) => sql`(${isMadeTo(target)})`),
    sql` or `,
  )})`

const isLive = (companyId: RoomTerms['company_id']): RawBuilder<SqlBool> =>
  sql`share_grants.state = 'active' and share_grants.company_id = ${companyId}`

/** SQL condition on `share_grants`: live, and made to a target that covers the room. */
export const appliesToRoom = (room: RoomTerms): Expression<SqlBool> =>
  sql<SqlBool>`${isLive(room.company_id)} and ${covers(room)}`

/** Orders grants that apply to one room: room, then department, then company. */
export const narrowestFirst = sql<number>`
  case share_grants.target_kind when 'chatroom' then 0 when 'department' then 1 else 2 end`

/**
 * The id of the narrowest grant of a task that applies to a room. Each target is looked up separately: a plan made
 * while there were few shares might otherwise scan all of them.
 */
export const applicableShareId = (taskId: Expression<string>, room: RoomTerms): RawBuilder<string | null> =>
  sql<string | null>`coalesce(${sql.join(
    targetsOf(room).map(
      (target) => sql`(
        select share_grants.id from share_grants
        where share_grants.task_id = ${taskId} and ${isMadeTo(target)} and ${isLive(room.company_id)})`,
    ),
  )})`

/** The rooms and managed departments of a caller that shares can reach. */
export interface Reach {
  companyId: string
  roomIds: readonly string[]
  departmentIds: readonly string[]
}

/** SQL condition on `share_grants`: live, and made to the company, to one of the departments, or covering one of the rooms. */
export const reaches = ({ companyId, roomIds, departmentIds }: Reach): Expression<SqlBool> => sql<SqlBool>`
  ${isLive(companyId)} and (
    (${isMadeTo({ kind: 'company', id: companyId })})
    or (share_grants.target_kind = 'department' and share_grants.target_id = any(${departmentIds}))
    or exists (
      select from chatrooms room
      where room.id = any(${roomIds}) and room.company_id = ${companyId} and room.deleted_at is null
        and ${covers(roomInStatement)})
  )`
