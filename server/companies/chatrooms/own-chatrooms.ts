import type { OwnChatroomList } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { departmentsManagedBy } from '../../access/allow.ts'
import { type Platform, pageById } from '../../access/directory/platform.ts'
import type { Principal } from '../../access/principal.ts'
import type { PageRequest } from '../../base/page.ts'
import { listOwnChatroomRows } from './chatroom-store.ts'

/** The live rooms of which the caller is a member or manager, in order of creation. */
export function listOwnChatrooms(
  platform: Platform,
  principal: Principal,
  request: PageRequest,
): Promise<OwnChatroomList> {
  const { companyId, principalId } = principal
  const user = { id: principalId, managed: departmentsManagedBy(principal) }
  const list = { name: 'own-chatrooms', companyId, request }
  return pageById(
    platform,
    list,
    (stretch) => listOwnChatroomRows(platform.db, user, stretch),
    (row) => row,
  )
}
