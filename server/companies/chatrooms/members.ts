import type {
  Membership,
  MembershipList,
  MembershipPutRequest,
} from '@sandbox-jobs/contract/resources/companies/membership.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import { findRoomMembership } from '../../access/directory/directory-store.ts'
import { directoryBytes, type ListRequest, type Platform, pageById } from '../../access/directory/platform.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import { findUserRow } from '../user-store.ts'
import {
  deleteMemberRow,
  findMemberRow,
  listMemberRows,
  type MemberRow,
  putMemberRow,
} from './member-store.ts'

const render = ({ id, ...rest }: MemberRow): Membership => ({ ...rest, user_id: id })

export interface MemberAddress {
  chatroomId: string
  userId: string
}

export async function listMembers(
  platform: Platform,
  principal: Principal,
  chatroomId: string,
  request: ListRequest,
): Promise<MembershipList> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  await requireLiveRoom(platform.db, companyId, chatroomId)
  const list = { name: `members:${chatroomId}`, companyId, request }
  return pageById(platform, list, (stretch) => listMemberRows(platform.db, chatroomId, stretch), render)
}

/**
 * Adds a user of the company to a room. If `room_manager` is omitted, an existing member keeps the flag and a new one
 * gets false. Throws `not_found`, and `storage_quota_exceeded` for a new member.
 */
export async function putMember(
  platform: Platform,
  principal: Principal,
  { chatroomId, userId }: MemberAddress,
  request: MembershipPutRequest,
): Promise<Membership> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  const key = { companyId, chatroomId, userId }
  return platform.db.transaction().execute(async (trx) => {
    await requireLiveRoom(trx, companyId, chatroomId)
    if (!(await findUserRow(trx, { companyId, id: userId }))) throw notFound()
    const before = await findMemberRow(trx, key)
    if (!before) await platform.requireStorageQuota(trx, companyId, directoryBytes.membership)
    await putMemberRow(trx, key, request.room_manager ?? before?.room_manager ?? false)
    return required(await findMemberRow(trx, key))
  })
}

export async function deleteMember(
  platform: Platform,
  principal: Principal,
  { chatroomId, userId }: MemberAddress,
): Promise<Membership> {
  authorize(principal, 'directory.manage', ownCompany)
  const key = { companyId: principal.companyId, chatroomId, userId }
  return platform.db.transaction().execute(async (trx) => {
    const before = required(await findMemberRow(trx, key))
    await deleteMemberRow(trx, key)
    return before
  })
}

function required(row: MemberRow | undefined): Membership {
  if (!row) throw notFound()
  return render(row)
}

async function requireLiveRoom(db: Executing, companyId: string, roomId: string): Promise<void> {
  if (!(await findRoomMembership(db, { companyId, roomId, userId: null }))) throw notFound()
}
