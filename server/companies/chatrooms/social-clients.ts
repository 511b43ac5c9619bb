import type {
  SocialMediaClient,
  SocialMediaClientCreateRequest,
  SocialMediaClientList,
} from '@sandbox-jobs/contract/resources/agents/social-media-client.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import { findRoomMembership } from '../../access/directory/directory-store.ts'
import { directoryBytes, type ListRequest, type Platform, pageById } from '../../access/directory/platform.ts'
import {
  insertSocialClient,
  listSocialClientRows,
  removeSocialClientRow,
  type SocialClientRow,
} from '../../access/directory/social-client-store.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { type Executing, violates } from '../../db/database.ts'

/* External people of a room (contract part 3, D1), kept by the administrators of the company. */

const render = (row: SocialClientRow): SocialMediaClient => ({
  id: row.id,
  chatroom_id: row.chatroom_id,
  channel: row.channel as SocialMediaClient['channel'],
  client_id: row.client_id,
  display_name: row.display_name,
  created_at: row.created_at.toISOString(),
  removed_at: row.removed_at?.toISOString() ?? null,
})

export async function listSocialClients(
  platform: Platform,
  principal: Principal,
  chatroomId: string,
  request: ListRequest,
): Promise<SocialMediaClientList> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  await requireLiveRoom(platform.db, companyId, chatroomId)
  const list = { name: `clients:${chatroomId}`, companyId, request }
  return pageById(platform, list, (page) => listSocialClientRows(platform.db, chatroomId, page), render)
}

/**
 * Throws `already_exists` if the company knows that client of the channel already, in this or another room, and
 * `storage_quota_exceeded`.
 */
export async function createSocialClient(
  platform: Platform,
  principal: Principal,
  chatroomId: string,
  request: SocialMediaClientCreateRequest,
): Promise<SocialMediaClient> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  await requireLiveRoom(platform.db, companyId, chatroomId)
  await platform.requireStorageQuota(platform.db, companyId, directoryBytes.entry)
  const { channel, client_id: clientId, display_name: displayName = '' } = request
  const client = { companyId, chatroomId, channel, clientId, displayName }
  return render(
    await insertSocialClient(platform.db, client).catch((error: unknown) => {
      throw violates(error, 'social_media_clients_live') ? new CodedError('already_exists') : error
    }),
  )
}

export async function deleteSocialClient(
  platform: Platform,
  principal: Principal,
  address: { chatroomId: string; id: string },
): Promise<SocialMediaClient> {
  authorize(principal, 'directory.manage', ownCompany)
  const key = { companyId: principal.companyId, ...address }
  const row = await removeSocialClientRow(platform.db, key, platform.clock.now())
  if (!row) throw notFound()
  return render(row)
}

async function requireLiveRoom(db: Executing, companyId: string, roomId: string): Promise<void> {
  if (!(await findRoomMembership(db, { companyId, roomId, userId: null }))) throw notFound()
}
