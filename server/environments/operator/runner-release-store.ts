import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { RunnerReleasesTable } from '../../db/tables/environments.ts'

export type RunnerReleaseRow = Selectable<RunnerReleasesTable>

/** A known release is not changed, and keeps its approval. */
export async function insertRelease(db: Database, release: Insertable<RunnerReleasesTable>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numInsertedOrUpdatedRows = 0n } = await trx
      .insertInto('runner_releases')
      .values(release)
      .onConflict((conflict) => conflict.column('release').doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows > 0n && release.approved_at) await recordReplacement(trx, release.release)
  })
}

/** An event for each environment whose current version is on another runner. */
const recordReplacement = (trx: Trx, release: string): Promise<unknown> =>
  sql`${acrossCompanies('a release of the deployment')}
    insert into event_outbox (company_id, event, subject_id)
    select e.company_id, 'runner_replacement_available', v.id
    from environments e join environment_versions v on v.id = e.current_version_id
    where e.company_id is not null and e.state = 'active' and v.runner_release is distinct from ${release}
  `.execute(trx)

export const listReleaseRows = (db: Database): Promise<RunnerReleaseRow[]> =>
  db.selectFrom('runner_releases').selectAll().orderBy('first_seen_at', 'desc').execute()

export async function approveRelease(db: Database, release: string): Promise<boolean> {
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('runner_releases')
      .set({ approved_at: new Date(), approved_by: 'operator' })
      .where('release', '=', release)
      .where('approved_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await recordReplacement(trx, release)
  })
  const row = await db
    .selectFrom('runner_releases')
    .select('release')
    .where('release', '=', release)
    .executeTakeFirst()
  return row !== undefined
}
