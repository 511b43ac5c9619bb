import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { isDue } from '../../work/removal.ts'

/* Writes the rows of `owned_objects` that are scan reports and SBOMs. */

export interface NewReportObject {
  id: string
  company_id: string
  environment_id: string
  build_attempt_id: string
  storage_key: string
  byte_size: number
  digest: string
}

export const insertReportObjects = (trx: Trx, objects: readonly NewReportObject[]): Promise<unknown> =>
  trx
    .insertInto('owned_objects')
    .values(
      objects.map((object) => ({
        ...object,
        object_kind: 'report' as const,
        archive_format: null,
        expires_at: null,
      })),
    )
    .execute()

/** Hides reports from readers; their bytes are removed later. */
export async function retireReportObjects(db: Executing, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('owned_objects')
    .set({ deletion_state: 'delete_pending' })
    .where('id', 'in', ids)
    .where('object_kind', '=', 'report')
    .where('deletion_state', '=', 'active')
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()
}

export async function listRetired(
  db: Executing,
  now: Date,
  limit: number,
): Promise<{ id: string; storageKey: string }[]> {
  return db
    .selectFrom('owned_objects')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'storage_key as storageKey'])
    .where('object_kind', '=', 'report')
    .where('deletion_state', '=', 'delete_pending')
    .where(isDue(sql`owned_objects.id`, now))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The bytes are removed. The row stays as a tombstone. */
export const tombstone = (db: Executing, id: string): Promise<unknown> =>
  db
    .updateTable('owned_objects')
    .set({ deletion_state: 'tombstoned' })
    .where('id', '=', id)
    .where('deletion_state', '=', 'delete_pending')
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()
