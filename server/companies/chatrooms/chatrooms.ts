import type {
  Chatroom,
  ChatroomCreateRequest,
  ChatroomList,
  ChatroomUpdateRequest,
  OwnChatroomList,
} from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { authorize, departmentsManagedBy, ownCompany } from '../../access/allow.ts'
import { findDepartment } from '../../access/directory/directory-store.ts'
import { directoryBytes, type ListRequest, type Platform, pageById } from '../../access/directory/platform.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { PageRequest } from '../../base/page.ts'
import { type Executing, violates } from '../../db/database.ts'
import {
  type ChatroomRow,
  deleteChatroomRow,
  findChatroomRow,
  insertChatroom,
  listChatroomRows,
  listOwnChatroomRows,
  updateChatroomRow,
} from './chatroom-store.ts'
import { deleteMembersOf } from './member-store.ts'

const render = (row: ChatroomRow): Chatroom => ({
  ...row,
  created_at: row.created_at.toISOString(),
  deleted_at: row.deleted_at?.toISOString() ?? null,
})

export function listChatrooms(
  platform: Platform,
  principal: Principal,
  request: ListRequest,
): Promise<ChatroomList> {
  authorize(principal, 'directory.manage', ownCompany)
  const list = { name: 'chatrooms', companyId: principal.companyId, request }
  return pageById(platform, list, (stretch) => listChatroomRows(platform.db, stretch), render)
}

/**
 * Throws `not_found` if the department is not in the company, `already_exists` if the name is in use there, and
 * `storage_quota_exceeded`.
 */
export async function createChatroom(
  platform: Platform,
  principal: Principal,
  request: ChatroomCreateRequest,
): Promise<Chatroom> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  await requireDepartment(platform.db, companyId, request.department_id)
  await platform.requireStorageQuota(platform.db, companyId, directoryBytes.entry)
  const room = { companyId, departmentId: request.department_id, name: request.name }
  return render(await named(insertChatroom(platform.db, room)))
}

export async function readChatroom(platform: Platform, principal: Principal, id: string): Promise<Chatroom> {
  authorize(principal, 'directory.manage', ownCompany)
  const row = await findChatroomRow(platform.db, { companyId: principal.companyId, id })
  if (!row) throw notFound()
  return render(row)
}

/** Renames or moves a room. After a move, grants to its old department no longer apply to it. */
export async function updateChatroom(
  platform: Platform,
  principal: Principal,
  id: string,
  request: ChatroomUpdateRequest,
): Promise<Chatroom> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  const { name, department_id: departmentId } = request
  if (name === undefined && departmentId === undefined) throw new CodedError('no_fields')
  if (departmentId !== undefined) await requireDepartment(platform.db, companyId, departmentId)
  const row = await named(updateChatroomRow(platform.db, { companyId, id }, { name, departmentId }))
  if (!row) throw notFound()
  return render(row)
}

export async function deleteChatroom(
  platform: Platform,
  principal: Principal,
  id: string,
): Promise<Chatroom> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  const row = await platform.db.transaction().execute(async (trx) => {
    const deleted = await deleteChatroomRow(trx, { companyId, id }, platform.clock.now())
    if (deleted) await deleteMembersOf(trx, companyId, id)
    return deleted
  })
  if (!row) throw notFound()
  return render(row)
}

/** The live rooms of which the caller is a member or manager, in order of creation; for a sandbox-scope key those that it names. */
export function listOwnChatrooms(
  platform: Platform,
  principal: Principal,
  request: PageRequest,
): Promise<OwnChatroomList> {
  const { companyId, principalId, apiKey } = principal
  const only = apiKey?.scope === 'sandbox' ? apiKey.allowedChatroomIds : undefined
  const user = { id: principalId, managed: departmentsManagedBy(principal), only }
  const list = { name: 'own-chatrooms', companyId, request }
  return pageById(
    platform,
    list,
    (stretch) => listOwnChatroomRows(platform.db, user, stretch),
    (row) => row,
  )
}

async function requireDepartment(db: Executing, companyId: string, id: string): Promise<void> {
  if (!(await findDepartment(db, companyId, id))) throw notFound()
}

const named = <T>(write: Promise<T>): Promise<T> =>
  write.catch((error: unknown) => {
    throw violates(error, 'chatrooms_live_name') ? new CodedError('already_exists') : error
  })
