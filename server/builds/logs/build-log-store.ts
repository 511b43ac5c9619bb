import { imageRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { isDue } from '../../work/removal.ts'

/** Storage key of the log of a build. */
export const buildLogKey = (attemptId: string) => `builds/${attemptId}/log`

/* Writes the columns `log_removed_at` and `log_bytes` of `build_attempts`. */

/**
 * Terminal attempts that may still have a log, of versions that are over and have no image, and that ended longer ago than
 * their company retains images.
 */
export async function listOverdueLogs(db: Executing, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a sweep of all companies')}
    select a.id from build_attempts a
    join environment_versions v on v.id = a.environment_version_id
    left join company_settings s on s.company_id = a.company_id
    where a.terminal_at is not null and a.log_removed_at is null
      and v.state in ('archived', 'rejected', 'abandoned', 'superseded')
      and v.layer_digest is null and v.retiring_layer_digest is null
      and v.state_changed_at < ${now}::timestamptz
        - make_interval(days => coalesce(s.unreferenced_image_retention_days, ${imageRetentionDefaultDays}))
      and ${isDue(sql`a.id`, now)}
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export const recordLogRemoved = (db: Executing, attemptId: string, now: Date): Promise<unknown> =>
  db
    .updateTable('build_attempts')
    .set({ log_removed_at: now })
    .where('id', '=', attemptId)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()

/** Records the size of the stored log of an attempt. */
export const recordLogSize = (
  db: Executing,
  attempt: { attemptId: string; companyId: string },
  byteSize: number,
): Promise<unknown> =>
  db
    .updateTable('build_attempts')
    .set({ log_bytes: byteSize })
    .where('id', '=', attempt.attemptId)
    .where('company_id', '=', attempt.companyId)
    .execute()
