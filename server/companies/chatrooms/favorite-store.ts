import { type Expression, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'

/* Writes `favorite_chatrooms`. */

export interface FavoriteKey {
  companyId: string
  userId: string
  chatroomId: string
}

export async function isFavorite(db: Executing, key: FavoriteKey): Promise<boolean> {
  const row = await db
    .selectFrom('favorite_chatrooms')
    .select('chatroom_id')
    .where('company_id', '=', key.companyId)
    .where('user_id', '=', key.userId)
    .where('chatroom_id', '=', key.chatroomId)
    .executeTakeFirst()
  return row !== undefined
}

export const insertFavorite = (trx: Trx, { companyId, userId, chatroomId }: FavoriteKey): Promise<unknown> =>
  trx
    .insertInto('favorite_chatrooms')
    .values({ company_id: companyId, user_id: userId, chatroom_id: chatroomId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const deleteFavorite = (db: Executing, key: FavoriteKey): Promise<unknown> =>
  db
    .deleteFrom('favorite_chatrooms')
    .where('company_id', '=', key.companyId)
    .where('user_id', '=', key.userId)
    .where('chatroom_id', '=', key.chatroomId)
    .execute()

/** SQL condition on `chatrooms`: a favourite of that user. */
export const isFavoriteOf = (userId: string): Expression<boolean> => sql<boolean>`exists (
  select from favorite_chatrooms favorite
  where favorite.chatroom_id = chatrooms.id and favorite.company_id = chatrooms.company_id and favorite.user_id = ${userId})`
