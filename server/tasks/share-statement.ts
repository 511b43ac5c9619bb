import { type Expression, type SqlBool, sql } from 'kysely'
import type { Room } from '../platform/directory.ts'

/* Part of the statements, of this domain and of others, that ask what a share lends to a room. */

/** The columns of a room that decide, as values or as what a statement calls them. */
export type RoomTerms = {
  [Column in 'id' | 'company_id' | 'department_id' | 'authority_generation']:
    | Room[Column]
    | Expression<Room[Column]>
}

/**
 * SQL condition on `share_grants`: live, and made to the room under its present authority, to the department
 * it is in now, or to its company.
 */
export const appliesToRoom = (room: RoomTerms): Expression<SqlBool> => sql<SqlBool>`
  share_grants.state = 'active' and share_grants.company_id = ${room.company_id} and (
    (share_grants.target_kind = 'chatroom' and share_grants.target_id = ${room.id}
      and share_grants.target_authority_generation = ${room.authority_generation})
    or (share_grants.target_kind = 'department' and share_grants.target_id = ${room.department_id})
    or (share_grants.target_kind = 'company' and share_grants.target_id = ${room.company_id})
  )`
