import type { FavoriteChatroom } from '@sandbox-jobs/contract/resources/companies/favorite-chatroom.ts'
import type { Directory } from '../../access/directory/directory.ts'
import { directoryBytes, type Platform } from '../../access/directory/platform.ts'
import type { Principal } from '../../access/principal.ts'
import { deleteFavorite, type FavoriteKey, insertFavorite, isFavorite } from './favorite-store.ts'

export interface FavoriteContext extends Pick<Platform, 'db' | 'requireStorageQuota'> {
  directory: Directory
}

/** Marks a room that the caller may enter. A repeat changes nothing. Throws `not_found`, `storage_quota_exceeded`. */
export async function addFavorite(
  context: FavoriteContext,
  principal: Principal,
  roomId: string,
): Promise<FavoriteChatroom> {
  const key = await requireKey(context, principal, roomId)
  await context.db.transaction().execute(async (trx) => {
    if (await isFavorite(trx, key)) return
    await context.requireStorageQuota(trx, key.companyId, directoryBytes.membership)
    await insertFavorite(trx, key)
  })
  return { chatroom_id: key.chatroomId, favorite: true }
}

/** Throws `not_found`. */
export async function removeFavorite(
  context: FavoriteContext,
  principal: Principal,
  roomId: string,
): Promise<FavoriteChatroom> {
  const key = await requireKey(context, principal, roomId)
  await deleteFavorite(context.db, key)
  return { chatroom_id: key.chatroomId, favorite: false }
}

async function requireKey(
  { directory }: FavoriteContext,
  principal: Principal,
  roomId: string,
): Promise<FavoriteKey> {
  const room = await directory.requireRoom(principal, 'room.favorite', roomId)
  return { companyId: room.company_id, userId: principal.principalId, chatroomId: room.id }
}
