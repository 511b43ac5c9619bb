import { type RawBuilder, sql } from 'kysely'
import { companyManagerRole, departmentManagerRole } from '../platform/principal.ts'
import { appliesToRoom } from '../tasks/share-statement.ts'

/** What a queued run was submitted under and has lost since: the first of these that is gone. */
export type LostAuthority = 'chatroom' | 'user' | 'membership' | 'api_key' | 'share_grant'

const room = {
  id: sql.ref<string>('room.id'),
  company_id: sql.ref<string>('room.company_id'),
  department_id: sql.ref<string>('room.department_id'),
  authority_generation: sql.ref<number>('room.authority_generation'),
}

/** Whether the person manages the room; the rules are those of `Directory`. */
const manages = sql<boolean>`(
  submitter.role >= ${sql.lit(companyManagerRole)} or coalesce(member.room_manager, false)
  or (submitter.role = ${sql.lit(departmentManagerRole)} and exists (
    select from department_managers managed
    where managed.user_id = submitter.id and managed.department_id = room.department_id
      and managed.company_id = submitter.company_id
  ))
)`

const keyIsGood = sql<boolean>`exists (
  select from api_keys key
  where key.id = run.api_key_id and key.company_id = run.company_id and key.owner_user_id = run.principal_id
    and key.revoked_at is null and (key.expires_at is null or key.expires_at > now())
    and (key.scope = 'full' or run.chatroom_id = any(key.allowed_chatroom_ids))
)`

/** A run without a share is a quick run, which only the managers of its room may make. */
const shareIsGood = sql<boolean>`exists (
  select from share_grants
  where share_grants.id = run.share_grant_id and share_grants.task_id = run.task_id and ${appliesToRoom(room)}
)`

/**
 * Part of a statement in which `run` is a run: what it has lost of what its submission stood on, null where all of it holds
 * (contract part 3, D9). The share is the one that it was queued under, whichever others there are.
 */
export const lostAuthority: RawBuilder<LostAuthority | null> = sql<LostAuthority | null>`(
  select case
    when room.id is null then 'chatroom'
    when submitter.id is null then 'user'
    when not (${manages} or (run.share_grant_id is not null and member.user_id is not null)) then 'membership'
    when run.api_key_id is not null and not ${keyIsGood} then 'api_key'
    when run.share_grant_id is not null and not ${shareIsGood} then 'share_grant'
  end
  from (select) one
  left join chatrooms room
    on room.id = run.chatroom_id and room.company_id = run.company_id and room.deleted_at is null
  left join users submitter on run.principal_type = 'user' and submitter.id = run.principal_id
    and submitter.company_id = run.company_id and submitter.disabled_at is null
  left join chatroom_members member on member.chatroom_id = room.id and member.user_id = submitter.id
    and member.company_id = room.company_id
)`
