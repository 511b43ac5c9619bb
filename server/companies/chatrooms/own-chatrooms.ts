import type { OwnChatroomList } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { departmentsManagedBy } from '../../access/allow.ts'
import { type Platform, pageById } from '../../access/directory/platform.ts'
import type { Principal } from '../../access/principal.ts'
import type { PageRequest } from '../../base/page.ts'
import { listOwnChatroomRows } from './chatroom-store.ts'

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
