import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  PersonNames,
  RoomPerson,
  RoomPersonList,
} from '@sandbox-jobs/contract/resources/companies/person-name.ts'
import { departmentsManagedBy } from '../../access/allow.ts'
import type { Directory } from '../../access/directory/directory.ts'
import { type Platform, pageById } from '../../access/directory/platform.ts'
import type { Principal } from '../../access/principal.ts'
import type { PageRequest } from '../../base/page.ts'
import { listMemberRows, type MemberRow } from './member-store.ts'
import { findPersonNames } from './person-name-store.ts'

export interface PeopleDeps extends Platform {
  directory: Directory
}

/** The members of a room, for whoever may enter it. Throws `not_found`. */
export async function listRoomPeople(
  deps: PeopleDeps,
  principal: Principal,
  chatroomId: string,
  query: PageRequest,
): Promise<RoomPersonList> {
  const { id, company_id: companyId } = await deps.directory.requireRoom(
    principal,
    'room.list_people',
    chatroomId,
  )
  const request = { ...query, page_size: query.page_size ?? pageSizeMax }
  return pageById(
    deps,
    { name: `people:${id}`, companyId, request },
    (stretch) => listMemberRows(deps.db, id, stretch),
    render,
  )
}

/** Names by ids, of those whom the caller meets in rooms. */
export async function readNames(
  { db, directory }: Pick<PeopleDeps, 'db' | 'directory'>,
  principal: Principal,
  { ids }: { ids: string[] },
): Promise<PersonNames> {
  const isOfAll = departmentsManagedBy(principal) === 'company'
  const rooms = isOfAll ? 'company' : await directory.roomIdsOf(principal)
  return { items: await findPersonNames(db, { companyId: principal.companyId, ids, rooms }) }
}

const render = ({ id, display_name, room_manager }: MemberRow): RoomPerson => ({
  id,
  display_name,
  manages: room_manager,
})
