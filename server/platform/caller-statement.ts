import { sql } from 'kysely'
import type { Columns } from '../db/row-text.ts'
import { departmentManagerRole } from './principal.ts'

/*
 * Parts of statements that find out who calls and what they are in a room. Other domains build on them where what is
 * asked for has to be found together with who asks: one statement costs less than the sum of its parts.
 */

/** What every credential says of the user it stands for; the departments are those they manage by their role. */
export interface UserStanding {
  company_id: string
  role: number
  disabled_at: Date | null
  managed_department_ids: string[]
}

export interface KeyCredential extends UserStanding {
  owner_user_id: string
  key_id: string
  scope: 'full' | 'sandbox'
  allowed_chatroom_ids: string[]
  domains: string[]
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** Of the user whom a statement calls `owner`; none, and none looked for, of one who manages no departments by role. */
export const managedDepartments = sql<string[]>`array(
  select managed.department_id from department_managers managed
  where owner.role = ${sql.lit(departmentManagerRole)}
    and managed.user_id = owner.id and managed.company_id = owner.company_id
  order by managed.department_id
)`

/** Joins the `key` that has the hash `asked.key_hash`, and its `owner`. */
export const joinKey = sql`
    join api_keys key on key.key_hash = asked.key_hash
    join users owner on owner.id = key.owner_user_id and owner.company_id = key.company_id`

/** The columns of a `KeyCredential` in such a statement. */
export const keyColumns: Columns<KeyCredential> = {
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

/** What a person is in a live room. */
export interface Standing {
  department_id: string
  /** Null when the person is no member, else whether the membership is flagged. */
  room_manager: boolean | null
}

/**
 * Joins the live `room` and, as `member`, the membership of a user in it, both null where there is none. The arguments
 * are columns that the statement has before. The room is found by its id alone and compared afterwards, or a plan that
 * was made while there were few might walk all rooms.
 */
export const joinStanding = (of: { roomId: string; companyId: string; userId: string }) => sql`
    left join lateral (select * from chatrooms where chatrooms.id = ${sql.ref(of.roomId)} limit 1) room
      on room.company_id = ${sql.ref(of.companyId)} and room.deleted_at is null
    left join chatroom_members member on member.chatroom_id = room.id and member.user_id = ${sql.ref(of.userId)}`

/** The columns of a `Standing` in such a statement. */
export const standingColumns: Columns<Standing> = {
  department_id: sql.ref('room.department_id'),
  room_manager: sql.ref('member.room_manager'),
}
