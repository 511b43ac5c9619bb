import { type Insertable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { StagingLeasesTable } from '../../db/tables/scripts.ts'
import { isDue } from '../../work/removal.ts'

const secondsFromNow = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`

export type NewLease = Pick<
  Insertable<StagingLeasesTable>,
  'id' | 'company_id' | 'object_kind' | 'declared_bytes' | 'storage_key'
>

export async function insertLeases(
  trx: Trx,
  leases: readonly NewLease[],
  heldSeconds: number,
): Promise<void> {
  const held_until = secondsFromNow(heldSeconds)
  await trx
    .insertInto('staging_leases')
    .values(leases.map((lease) => ({ ...lease, held_until })))
    .execute()
}

/** Returns how many of the leases were still held. The bytes of the others may be gone. */
export async function releaseLeases(
  db: Executing,
  companyId: string,
  ids: readonly string[],
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('staging_leases')
    .set({ held_until: null, storage_key: null })
    .where('id', 'in', ids)
    .where('company_id', '=', companyId)
    .where('held_until', 'is not', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Whether the lease is still held; if so, it is locked. */
export async function lockLease(trx: Trx, companyId: string, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('staging_leases')
    .select('id')
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .where('held_until', 'is not', null)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Uploads of input files in progress. */
export async function countInputLeases(db: Executing, companyId: string): Promise<number> {
  const { count } = await db
    .selectFrom('staging_leases')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .where('object_kind', '=', 'input')
    .where('held_until', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return count
}

/** Locks the rows until the transaction ends. Skips locked leases. */
export const lockOverdueLeases = (trx: Trx, now: Date, limit: number) =>
  trx
    .selectFrom('staging_leases')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'company_id', 'storage_key'])
    .where('held_until', '<=', sql<Date>`now()`)
    .where(isDue(sql`staging_leases.id`, now))
    .orderBy('held_until')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()

/** Deletes ended leases that no longer count as inits. */
export async function deleteCountedLeases(db: Executing, limit: number): Promise<number> {
  const rows = await db
    .deleteFrom('staging_leases')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('staging_leases')
        .select('id')
        .where('held_until', 'is', null)
        .where('created_at', '<=', sql<Date>`now() - interval '1 minute'`)
        .orderBy('created_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .returning('id')
    .execute()
  return rows.length
}
