import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { type RawBuilder, sql } from 'kysely'
import { appliesToRoom, roomInStatement } from '../../access/share-statement.ts'

/** The first part of a run's authority that is no longer valid. */
export type LostAuthority = 'chatroom' | 'user' | 'membership' | 'api_key' | 'share_grant'

/** Whether the submitter manages the room, by the same rules as `contract/access/decide.ts`. */
const manages = sql<boolean>`(
  submitter.role >= ${sql.lit(roles.company_manager)} or coalesce(member.room_manager, false)
  or (submitter.role = ${sql.lit(roles.department_manager)} and exists (
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

/** A run that came by a door names it as its key. Removing a door deletes its row. */
const doorIsThere = sql<boolean>`exists (
  select from doors door
  where door.id = run.api_key_id and door.company_id = run.company_id and door.owner_user_id = run.principal_id
    and door.chatroom_id = run.chatroom_id
)`

const shareIsGood = sql<boolean>`exists (
  select from share_grants
  where share_grants.id = run.share_grant_id and share_grants.task_id = run.task_id and ${appliesToRoom(roomInStatement)}
)`

/**
 * SQL expression over `run`: the authority of its submission that it has lost, null if all of it is still valid (contract
 * part 3, D9). Only the share under which it was queued counts, even if other shares exist. A run without a share is a quick run,
 * which only managers of its room may create. An auditor is in no room, whichever list them.
 */
export const lostAuthority: RawBuilder<LostAuthority | null> = sql<LostAuthority | null>`(
  select case
    when room.id is null then 'chatroom'
    when submitter.id is null and client.id is null then 'user'
    when not (coalesce(${manages}, false)
      or (run.share_grant_id is not null and (member.user_id is not null or coalesce(client.chatroom_id = room.id, false))))
      then 'membership'
    when run.api_key_id is not null and not ${keyIsGood} and not ${doorIsThere} then 'api_key'
    when run.share_grant_id is not null and not ${shareIsGood} then 'share_grant'
  end
  from (select) one
  left join chatrooms room
    on room.id = run.chatroom_id and room.company_id = run.company_id and room.deleted_at is null
  left join users submitter on run.principal_type = 'user' and submitter.id = run.principal_id
    and submitter.company_id = run.company_id and submitter.disabled_at is null
  left join social_media_clients client on run.principal_type = 'social_media_client' and client.id = run.principal_id
    and client.company_id = run.company_id and client.removed_at is null
  left join chatroom_members member on member.chatroom_id = room.id and member.user_id = submitter.id
    and member.company_id = room.company_id and submitter.role <> ${sql.lit(roles.auditor)}
)`
