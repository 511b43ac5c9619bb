import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import {
  type FoundThing,
  type FoundThings,
  foundMax,
} from '@sandbox-jobs/contract/resources/companies/found-thing.ts'
import { departmentsManagedBy, may, ownCompany } from '../access/allow.ts'
import type { Directory } from '../access/directory/directory.ts'
import type { Principal } from '../access/principal.ts'
import type { Database } from '../db/database.ts'
import { readableRooms } from '../runs/read/visible-runs.ts'
import { type Findable, type FoundRow, findByName, findRun } from './search-store.ts'

export interface SearchDeps {
  db: Database
  directory: Directory
}

/** Things that the principal may see and whose name has the text: those that begin with it first, then those that have it early. */
export async function search(
  { db, directory }: SearchDeps,
  principal: Principal,
  { q }: { q: string },
): Promise<FoundThings> {
  const text = q.trim()
  if (text === '') return { items: [] }
  const of = await findableBy(directory, principal)
  const rows = idPattern('run').test(text)
    ? await findRun(db, of, text)
    : await findByName(db, of, { text, limit: foundMax })
  const items = rows.toSorted((one, other) => one.place - other.place).slice(0, foundMax)
  return { items: items.map(render) }
}

async function findableBy(directory: Directory, principal: Principal): Promise<Findable> {
  const { companyId, managedDepartmentIds: departmentIds } = principal
  const ofTables = departmentsManagedBy(principal)
  const reach = async () => ({ companyId, departmentIds, roomIds: await directory.roomIdsOf(principal) })
  return {
    companyId,
    roomIds: await readableRooms(directory, principal),
    tasks: may(principal, 'task.list_all', ownCompany) ? undefined : { departmentIds, reach: await reach() },
    departmentIds: ofTables === 'company' ? undefined : ofTables,
    people: may(principal, 'directory.manage', ownCompany),
  }
}

const render = ({ kind, id, title, detail, chatroom_id }: FoundRow): FoundThing => ({
  kind,
  id,
  title,
  detail,
  path: pathOf(kind, id, chatroom_id),
})

function pathOf(kind: FoundThing['kind'], id: string, chatroomId: string | null): string {
  switch (kind) {
    case 'chatroom':
      return `/console/chatrooms/${id}`
    case 'run':
      return `/console/chatrooms/${chatroomId}/runs/${id}`
    case 'table':
      return `/console/tables/${id}/rows`
    case 'user':
      return `/console/company/people/${id}`
    case 'task':
    case 'environment':
      return `/console/${kind}s/${id}`
  }
}
