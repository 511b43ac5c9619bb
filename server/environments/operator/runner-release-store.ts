import type { Insertable, Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { RunnerReleasesTable } from '../../db/tables/environments.ts'
import { offerHandoffs } from '../versions/runner-handoff-statement.ts'

export type RunnerReleaseRow = Selectable<RunnerReleasesTable>

/** A known release is not changed, and keeps its approval. */
export async function insertRelease(db: Database, release: Insertable<RunnerReleasesTable>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numInsertedOrUpdatedRows = 0n } = await trx
      .insertInto('runner_releases')
      .values(release)
      .onConflict((conflict) => conflict.column('release').doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows > 0n && release.approved_at) await offerHandoffs(trx, release.release)
  })
}

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
    if (numUpdatedRows > 0n) await offerHandoffs(trx, release)
  })
  const row = await db
    .selectFrom('runner_releases')
    .select('release')
    .where('release', '=', release)
    .executeTakeFirst()
  return row !== undefined
}
