import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { sql } from 'kysely'
import type { ColumnExpressions } from '../../db/fast/row-text.ts'

/*
 * Parts of SQL statements that identify the caller and the caller's membership in a room. Other domains combine them
 * with their own lookups: one statement costs less than several.
 */

/** Fields common to all credentials, about their user; the departments are those managed by role. */
export interface UserAuthority {
  company_id: string
  role: number
  disabled_at: Date | null
  managed_department_ids: string[]
}

export interface KeyCredential extends UserAuthority {
  owner_user_id: string
  key_id: string
  scope: 'full' | 'sandbox'
  allowed_chatroom_ids: string[]
  domains: string[]
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** For the user that a statement names `owner`; skips the lookup for a user who manages no departments by role. */
export const managedDepartments = sql<string[]>`array(
  select managed.department_id from department_managers managed
  where owner.role = ${sql.lit(roles.department_manager)}
    and managed.user_id = owner.id and managed.company_id = owner.company_id
  order by managed.department_id
)`

/** Joins the `key` with the hash `requested.key_hash`, and its `owner`. */
export const joinKey = sql`
    join api_keys key on key.key_hash = requested.key_hash
    join users owner on owner.id = key.owner_user_id and owner.company_id = key.company_id`

/** The columns of a `KeyCredential` in such a statement. */
export const keyColumns: ColumnExpressions<KeyCredential> = {
  owner_user_id: sql.ref('key.owner_user_id'),
  company_id: sql.ref('owner.company_id'),
  role: sql.ref('owner.role'),
  disabled_at: sql.ref('owner.disabled_at'),
  managed_department_ids: managedDepartments,
  key_id: sql.ref('key.id'),
  scope: sql.ref('key.scope'),
  allowed_chatroom_ids: sql.ref('key.allowed_chatroom_ids'),
  domains: sql.ref('key.domains'),
  expires_at: sql.ref('key.expires_at'),
  revoked_at: sql.ref('key.revoked_at'),
  last_used_at: sql.ref('key.last_used_at'),
}

/** The membership of a person in a live room. */
export interface CallerMembership {
  department_id: string
  /** Null when the person is not a member, else whether the membership is flagged. */
  room_manager: boolean | null
}

/**
 * Joins the live `room` and, as `member`, the membership of a user in it, both null if there is none. The arguments
 * are columns of earlier parts of the statement. The room is found by its id alone and compared afterwards: a plan
 * made while there were few rooms might otherwise scan all of them.
 */
export const joinMembership = (of: { roomId: string; companyId: string; userId: string }) => sql`
    left join lateral (select * from chatrooms where chatrooms.id = ${sql.ref(of.roomId)} limit 1) room
      on room.company_id = ${sql.ref(of.companyId)} and room.deleted_at is null
    left join chatroom_members member on member.chatroom_id = room.id and member.user_id = ${sql.ref(of.userId)}`

/** The columns of a `CallerMembership` in such a statement. */
export const membershipColumns: ColumnExpressions<CallerMembership> = {
  department_id: sql.ref('room.department_id'),
  room_manager: sql.ref('member.room_manager'),
}
