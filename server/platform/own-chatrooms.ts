import type { OwnChatroomList } from '@sandbox-jobs/contract/resources/chatroom.ts'
import type { PageRequest } from '../base/page.ts'
import { listOwnChatroomRows } from './chatroom-store.ts'
import { type Platform, pageById } from './platform.ts'
import { managesCompany, type Principal } from './principal.ts'

/** The live rooms that the caller is a member of or manages, in order of making. */
export function listOwnChatrooms(
  platform: Platform,
  principal: Principal,
  request: PageRequest,
): Promise<OwnChatroomList> {
  const { companyId, principalId, managedDepartmentIds } = principal
  const user = {
    id: principalId,
    managed: managesCompany(principal) ? 'company' : managedDepartmentIds,
  } as const
  const list = { name: 'own-chatrooms', companyId, request }
  return pageById(
    platform,
    list,
    (stretch) => listOwnChatroomRows(platform.db, user, stretch),
    (row) => row,
  )
}
