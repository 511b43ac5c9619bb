import { runContentRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Executing, Trx } from '../../../db/database.ts'
import type { InputFilesTable } from '../../../db/tables/run-files.ts'
import { isDue } from '../../../work/removal.ts'

/* Writes the table `input_files`. */

export type InputFileRow = Selectable<InputFilesTable> & { expires_at: Date }

export interface FileKey {
  companyId: string
  chatroomId: string
  id: string
  /** Set for a restricted key, which finds only the files that it uploaded. */
  apiKeyId?: string | undefined
}

/** A file is kept as long as the content of runs. */
const expiresAt = sql<Date>`(f.created_at + make_interval(days => coalesce(
  (select run_content_retention_days from company_settings s where s.company_id = f.company_id),
  ${runContentRetentionDefaultDays})))`

/** The input of a run that took the file is kept. */
const isTaken = sql<boolean>`exists (
  select from run_files taken where taken.file_id = f.id and taken.company_id = f.company_id)`

/** Its time is not over, or a run took it. A reader of files does not depend on the sweep. */
const isUsable = sql<boolean>`(${expiresAt} > now() or ${isTaken})`

/** The sweep looks at a file each day, because the company may change how long it keeps content. */
export const insertInputFile = (
  trx: Trx,
  file: Omit<Insertable<InputFilesTable>, 'look_at'>,
): Promise<unknown> =>
  trx
    .insertInto('input_files')
    .values({ ...file, look_at: sql`now() + interval '1 day'` })
    .execute()

function files(db: Executing, { companyId, chatroomId, apiKeyId }: Omit<FileKey, 'id'>) {
  const query = db
    .selectFrom('input_files as f')
    .selectAll('f')
    .select(expiresAt.as('expires_at'))
    .where('f.company_id', '=', companyId)
    .where('f.chatroom_id', '=', chatroomId)
    .where(isUsable)
  return apiKeyId === undefined ? query : query.where('f.api_key_id', '=', apiKeyId)
}

export const findInputFile = (db: Executing, key: FileKey): Promise<InputFileRow | undefined> =>
  files(db, key).where('f.id', '=', key.id).executeTakeFirst()

/** Newest first; ids are ordered by time. */
export function listInputFiles(
  db: Executing,
  of: Omit<FileKey, 'id'>,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<InputFileRow[]> {
  const query = files(db, of).orderBy('f.id', 'desc').limit(limit)
  return (beforeId === undefined ? query : query.where('f.id', '<', beforeId)).execute()
}

/** The file, locked so that nothing deletes it before the transaction has ended. */
export const pinInputFile = (trx: Trx, key: FileKey): Promise<InputFileRow | undefined> =>
  files(trx, key).where('f.id', '=', key.id).forShare('f').executeTakeFirst()

/** The same without regard to its time and to who uploaded it, for a run that replays what another one took. */
export const pinTakenFile = (
  trx: Trx,
  file: { companyId: string; id: string },
): Promise<{ id: string } | undefined> =>
  trx
    .selectFrom('input_files')
    .select('id')
    .where('id', '=', file.id)
    .where('company_id', '=', file.companyId)
    .forShare()
    .executeTakeFirst()

/** The file, locked against runs that would take it. */
export const lockInputFile = (trx: Trx, key: FileKey): Promise<InputFileRow | undefined> =>
  files(trx, key).where('f.id', '=', key.id).forUpdate('f').executeTakeFirst()

export const deleteInputFile = (trx: Trx, file: Pick<InputFileRow, 'id' | 'company_id'>): Promise<unknown> =>
  trx.deleteFrom('input_files').where('id', '=', file.id).where('company_id', '=', file.company_id).execute()

/** Files that the sweep looks at now, locked; those that a run is taking at the moment are skipped. */
export const lockFilesToLookAt = (trx: Trx, now: Date, limit: number): Promise<InputFileRow[]> =>
  trx
    .selectFrom('input_files as f')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .selectAll('f')
    .select(expiresAt.as('expires_at'))
    .where('f.look_at', '<=', now)
    .where(isDue(sql`f.id`, now))
    .orderBy('f.look_at')
    .limit(limit)
    .forUpdate('f')
    .skipLocked()
    .execute()

/** Those of the files that a run took. Call it while they are locked, so that the result is stable. */
export async function takenAmong(trx: Trx, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a sweep of all companies')}
    select f.id from input_files f where f.id = any(${ids}::text[]) and ${isTaken}`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/** Looks at the files again when their time is over, and in a day at the latest. */
export const lookAgain = (trx: Trx, ids: readonly string[], now: Date): Promise<unknown> =>
  sql`${acrossCompanies('a sweep of all companies')}
    update input_files f set look_at = case when ${expiresAt} > ${now}::timestamptz
      then least(${expiresAt}, ${now}::timestamptz + interval '1 day') else ${now}::timestamptz + interval '1 day' end
    where f.id = any(${ids}::text[])`.execute(trx)
