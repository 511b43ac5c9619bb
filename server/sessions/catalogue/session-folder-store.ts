import { sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'

/* Writes the table `session_folders`. */

export interface ConversationKey {
  companyId: string
  sessionId: string
  conversation: string
}

export async function findFolder(
  db: Executing,
  { companyId, sessionId, conversation }: ConversationKey,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('session_folders')
    .select('folder')
    .where('company_id', '=', companyId)
    .where('session_id', '=', sessionId)
    .where('conversation', '=', conversation)
    .executeTakeFirst()
  return row?.folder
}

export const deleteFolder = (
  db: Executing,
  { companyId, sessionId, conversation }: ConversationKey,
): Promise<unknown> =>
  db
    .deleteFrom('session_folders')
    .where('company_id', '=', companyId)
    .where('session_id', '=', sessionId)
    .where('conversation', '=', conversation)
    .execute()

export const putFolder = (
  trx: Trx,
  { companyId, sessionId, conversation }: ConversationKey,
  folder: string,
): Promise<unknown> =>
  trx
    .insertInto('session_folders')
    .values({ company_id: companyId, session_id: sessionId, conversation, folder })
    .onConflict((conflict) =>
      conflict
        .columns(['session_id', 'conversation'])
        .doUpdateSet({ folder, used_at: sql<Date>`clock_timestamp()` }),
    )
    .execute()

/** Deletes those of other conversations, except for the newest. */
export const deleteOlderFolders = (
  trx: Trx,
  { companyId, sessionId }: Omit<ConversationKey, 'conversation'>,
  kept: number,
): Promise<unknown> =>
  trx
    .deleteFrom('session_folders')
    .where('company_id', '=', companyId)
    .where('session_id', '=', sessionId)
    .where('conversation', 'in', (older) =>
      older
        .selectFrom('session_folders')
        .select('conversation')
        .where('company_id', '=', companyId)
        .where('session_id', '=', sessionId)
        .orderBy('used_at', 'desc')
        .orderBy('conversation')
        .offset(kept),
    )
    .execute()
