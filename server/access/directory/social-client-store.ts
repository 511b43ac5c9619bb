import { newId } from '../../base/ids.ts'
import type { Executing } from '../../db/database.ts'
import type { Stretch } from './platform.ts'

/** Writes the table `social_media_clients`. */

const columns = [
  'id',
  'company_id',
  'chatroom_id',
  'channel',
  'client_id',
  'display_name',
  'created_at',
  'removed_at',
] as const

export interface SocialClientRow {
  id: string
  company_id: string
  chatroom_id: string
  channel: string
  client_id: string
  display_name: string
  created_at: Date
  removed_at: Date | null
}

const live = (db: Executing, companyId: string) =>
  db
    .selectFrom('social_media_clients')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('removed_at', 'is', null)

export const findSocialClient = (
  db: Executing,
  where: { companyId: string; id: string },
): Promise<SocialClientRow | undefined> =>
  live(db, where.companyId).where('id', '=', where.id).executeTakeFirst()

export const findSocialClientOf = (
  db: Executing,
  where: { companyId: string; channel: string; clientId: string },
): Promise<SocialClientRow | undefined> =>
  live(db, where.companyId)
    .where('channel', '=', where.channel)
    .where('client_id', '=', where.clientId)
    .executeTakeFirst()

export const listSocialClientRows = (
  db: Executing,
  chatroomId: string,
  page: Stretch,
): Promise<SocialClientRow[]> =>
  db
    .selectFrom('social_media_clients')
    .select(columns)
    .where('company_id', '=', page.companyId)
    .where('chatroom_id', '=', chatroomId)
    .$if(page.lifecycle === 'active', (query) => query.where('removed_at', 'is', null))
    .$if(page.lifecycle === 'retired', (query) => query.where('removed_at', 'is not', null))
    .where('id', '>', page.afterId)
    .orderBy('id')
    .limit(page.limit)
    .execute()

/** All live ones of a company. */
export const allSocialClientRows = (db: Executing, companyId: string): Promise<SocialClientRow[]> =>
  live(db, companyId).orderBy('id').execute()

export async function renameSocialClientRow(
  db: Executing,
  { companyId, id }: { companyId: string; id: string },
  displayName: string,
): Promise<void> {
  await db
    .updateTable('social_media_clients')
    .set({ display_name: displayName })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export const insertSocialClient = (
  db: Executing,
  client: { companyId: string; chatroomId: string; channel: string; clientId: string; displayName: string },
): Promise<SocialClientRow> =>
  db
    .insertInto('social_media_clients')
    .values({
      id: newId('socialClient'),
      company_id: client.companyId,
      chatroom_id: client.chatroomId,
      channel: client.channel,
      client_id: client.clientId,
      display_name: client.displayName,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()

/** Undefined if the room has no such client. */
export const removeSocialClientRow = (
  db: Executing,
  client: { companyId: string; chatroomId: string; id: string },
  at: Date,
): Promise<SocialClientRow | undefined> =>
  db
    .updateTable('social_media_clients')
    .set({ removed_at: at })
    .where('company_id', '=', client.companyId)
    .where('chatroom_id', '=', client.chatroomId)
    .where('id', '=', client.id)
    .where('removed_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()
