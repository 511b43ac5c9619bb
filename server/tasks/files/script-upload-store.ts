import { scriptUploadLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import type { ScriptUploadsTable } from '../../db/tables/scripts.ts'

export type ScriptUploadRow = Selectable<ScriptUploadsTable>

/** Writes the table `script_uploads`. */
export const insertScriptUpload = (
  db: Executing,
  upload: Omit<Insertable<ScriptUploadsTable>, 'expires_at'>,
): Promise<ScriptUploadRow> =>
  db
    .insertInto('script_uploads')
    .values({
      ...upload,
      expires_at: sql<Date>`now() + ${scriptUploadLifetimeSeconds} * interval '1 second'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** The script of a handle of that task; undefined if unknown or expired. */
export async function findScript(
  db: Executing,
  key: { companyId: string; taskId: string; id: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('script_uploads')
    .select('content')
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .where('task_id', '=', key.taskId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.content
}

export async function deleteExpiredScripts(db: Executing, limit: number): Promise<number> {
  const rows = await db
    .deleteFrom('script_uploads')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('script_uploads')
        .select('id')
        .where('expires_at', '<=', sql<Date>`now()`)
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .returning('id')
    .execute()
  return rows.length
}
