import type { Insertable, Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { RunnerReleasesTable } from '../../db/tables/environments.ts'

export type RunnerReleaseRow = Selectable<RunnerReleasesTable>

/** A known release is not changed, and keeps its approval. */
export async function insertRelease(db: Database, release: Insertable<RunnerReleasesTable>): Promise<void> {
  await db
    .insertInto('runner_releases')
    .values(release)
    .onConflict((conflict) => conflict.column('release').doNothing())
    .execute()
}

export const listReleaseRows = (db: Database): Promise<RunnerReleaseRow[]> =>
  db.selectFrom('runner_releases').selectAll().orderBy('first_seen_at', 'desc').execute()

export async function approveRelease(db: Database, release: string): Promise<boolean> {
  await db
    .updateTable('runner_releases')
    .set({ approved_at: new Date(), approved_by: 'operator' })
    .where('release', '=', release)
    .where('approved_at', 'is', null)
    .execute()
  const row = await db
    .selectFrom('runner_releases')
    .select('release')
    .where('release', '=', release)
    .executeTakeFirst()
  return row !== undefined
}
