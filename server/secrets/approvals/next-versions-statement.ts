import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { managesScope } from '../../access/manages-statement.ts'
import { applicableShareId, narrowestFirst, roomInStatement } from '../../access/share-statement.ts'

/*
 * The one rule of next versions: what an approval beside its own version covers. A statement that asks names the row of
 * `secret_approvals` `a` and the row of `task_versions` `version`. Each statement decides from what is there when it runs;
 * what was recorded as ended stays ended.
 */

/** The share by which the task reaches the consumer itself: a room, or all rooms of a department or the company. */
export const shareOfConsumer: RawBuilder<string | null> = sql<string | null>`case a.consumer_scope
  when 'chatroom' then (
    select ${applicableShareId(sql.ref('a.task_id'), roomInStatement)} from chatrooms room
    where room.id = a.consumer_id and room.company_id = a.company_id and room.deleted_at is null
  )
  else (
    select share_grants.id from share_grants
    where share_grants.task_id = a.task_id and share_grants.company_id = a.company_id and share_grants.state = 'active'
      and (share_grants.target_kind, share_grants.target_id) in (
        ('company', a.company_id), ('department', case a.consumer_scope when 'department' then a.consumer_id end))
    order by ${narrowestFirst}
    limit 1
  )
end`

const approved = { companyId: sql.ref('a.company_id'), userId: sql.ref('a.next_approved_by') }
const owner = { scope: sql.ref('a.owner_scope'), id: sql.ref('a.owner_id') }
const consumer = { scope: sql.ref('a.consumer_scope'), id: sql.ref('a.consumer_id') }

/** Why the approval `a`, which was given for next versions, covers none any more, of `nextVersionsEndReasons`; null while it does. */
export const nextVersionsEnd: RawBuilder<string | null> = sql<string | null>`case
  when a.next_ended_at is not null then a.next_end_reason
  when a.next_until <= now() then 'expired'
  when not ${managesScope({ ...approved, ...owner })} or not ${managesScope({ ...approved, ...consumer })} then 'approver_left'
  when not ${managesScope({ ...approved, userId: sql.ref('a.next_author_id'), ...owner })} then 'author_left'
  when (a.next_share_grant_id = ${shareOfConsumer}) is not true then 'share_changed'
end`

/** The names of the slots of `version`, sorted. */
export const slotNamesOfVersion: RawBuilder<string[]> = sql<string[]>`coalesce((
  select array_agg(slot.name order by slot.name collate "C") from (
    select case jsonb_typeof(declared.slot) when 'string' then declared.slot #>> '{}' else declared.slot ->> 'name' end as name
    from jsonb_array_elements(version.secret_slot_declarations) as declared (slot)
  ) slot
), '{}')`

/** Whether `version` is the work of the author whose versions `a` covers, alone. */
export const isBySameAuthor: RawBuilder<SqlBool> = sql<SqlBool>`(version.created_by = a.next_author_id and version.sole_author)`

export const hasSameSlots: RawBuilder<SqlBool> = sql<SqlBool>`${slotNamesOfVersion} = a.next_slot_names`

/** Whether `a` covers `version` as a next one. Null, which is as good as false, where it covers none. */
export const coversNextVersion: RawBuilder<SqlBool> = sql<SqlBool>`(
  a.next_until is not null and version.version_number > a.next_after and ${isBySameAuthor} and ${hasSameSlots}
  and ${nextVersionsEnd} is null
)`
