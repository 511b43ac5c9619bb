import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Database } from '../../db/database.ts'
import {
  type ConversationKey,
  deleteFolder,
  deleteOlderFolders,
  findFolder,
  putFolder,
} from './session-folder-store.ts'

/* Working directories of conversations, for callers that have found the session as one of their own. */

/** Of one session. */
const foldersMax = 16
/** As the table counts a row. */
const rowBytes = 1280

/** Undefined: the session's own folder. */
export const readFolder = (db: Database, key: ConversationKey): Promise<string | undefined> =>
  findFolder(db, key)

/** Remembers the folder, or with undefined the session's own. Throws `storage_quota_exceeded`. */
export async function setFolder(
  db: Database,
  key: ConversationKey,
  folder: string | undefined,
): Promise<void> {
  if (folder === undefined) {
    await deleteFolder(db, key)
    return
  }
  await db.transaction().execute(async (trx) => {
    await requireStorageQuota(trx, key.companyId, rowBytes)
    await putFolder(trx, key, folder)
    await deleteOlderFolders(trx, key, foldersMax)
  })
}
