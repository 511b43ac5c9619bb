import type { PersonName } from '@sandbox-jobs/contract/resources/companies/person-name.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'

/** The rooms of the caller; `company`: all. */
export type KnownRooms = 'company' | readonly string[]

/** Names of the people among the ids who are in one of the rooms, or manage one by their role. */
export async function findPersonNames(
  db: Executing,
  { companyId, ids, rooms }: { companyId: string; ids: readonly string[]; rooms: KnownRooms },
): Promise<PersonName[]> {
  const asked = sql`any(${arrayParam(ids, 'text')}::text[])`
  const known = rooms === 'company' ? undefined : sql`any(${arrayParam(rooms, 'text')}::text[])`
  const meets = known
    ? sql`(person.role >= ${roles.company_manager}
        or exists (select from chatroom_members member
          where member.user_id = person.id and member.company_id = person.company_id and member.chatroom_id = ${known})
        or exists (select from department_managers managed
          join chatrooms room on room.company_id = managed.company_id and room.department_id = managed.department_id
          where managed.user_id = person.id and managed.company_id = person.company_id and room.id = ${known}))`
    : sql`true`
  const { rows } = await sql<PersonName>`
    select person.id, 'user' as kind, person.display_name as name from users person
    where person.company_id = ${companyId} and person.id = ${asked} and ${meets}
    union all
    select client.id, 'social_media_client', client.display_name from social_media_clients client
    where client.company_id = ${companyId} and client.id = ${asked}
      and ${known ? sql`client.chatroom_id = ${known}` : sql`true`}
  `.execute(db)
  return rows
}
