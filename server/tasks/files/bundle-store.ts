import { bundleUploadLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { TaskBundlesTable } from '../../db/tables/scripts.ts'
import { isDue } from '../../work/removal.ts'

export type BundleRow = Selectable<TaskBundlesTable>

const lifeEnd = sql<Date>`now() + ${bundleUploadLifetimeSeconds} * interval '1 second'`

/** Writes the table `task_bundles`. */
export const insertBundle = (
  trx: Trx,
  bundle: Omit<Insertable<TaskBundlesTable>, 'expires_at' | 'look_at'>,
): Promise<BundleRow> =>
  trx
    .insertInto('task_bundles')
    .values({ ...bundle, expires_at: lifeEnd, look_at: lifeEnd })
    .returningAll()
    .executeTakeFirstOrThrow()

export interface BundleKey {
  companyId: string
  taskId: string
  id: string
}

const isHeld = sql<boolean>`exists (
  select from task_versions v where v.bundle_id = task_bundles.id and v.company_id = task_bundles.company_id
)`

const usable = (db: Executing, key: BundleKey) =>
  db
    .selectFrom('task_bundles')
    .selectAll()
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .where('task_id', '=', key.taskId)
    .where((eb) => eb.or([eb('expires_at', '>', sql<Date>`now()`), isHeld]))

/** A bundle that drafts of its task may use: it has not expired, or a version of the task refers to it. */
export const findUsableBundle = (db: Executing, key: BundleKey): Promise<BundleRow | undefined> =>
  usable(db, key).executeTakeFirst()

/** `findUsableBundle` with a lock: the sweep skips the bundle until the transaction ends. */
export const lockUsableBundle = (trx: Trx, key: BundleKey): Promise<BundleRow | undefined> =>
  usable(trx, key).forShare().executeTakeFirst()

/** Locks expired bundles for the sweep, for this transaction. */
export const lockBundlesToLookAt = (trx: Trx, now: Date, limit: number): Promise<BundleRow[]> =>
  trx
    .selectFrom('task_bundles')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .selectAll()
    .where('look_at', '<=', sql<Date>`now()`)
    .where(isDue(sql`task_bundles.id`, now))
    .orderBy('look_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()

/** Those of the given bundles that a version refers to. Call it while the bundles are locked, so that the result is stable. */
export async function heldAmong(trx: Trx, ids: string[]): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('task_bundles')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select('id')
    .where('id', 'in', ids)
    .where(isHeld)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function lookAgainTomorrow(trx: Trx, ids: string[]): Promise<void> {
  await trx
    .updateTable('task_bundles')
    .set({ look_at: sql`now() + interval '1 day'` })
    .where('id', 'in', ids)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()
}

export async function deleteBundle(trx: Trx, id: string): Promise<void> {
  await trx
    .deleteFrom('task_bundles')
    .where('id', '=', id)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()
}
