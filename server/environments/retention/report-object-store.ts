import { imageRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { isDue } from '../../work/removal-failures.ts'

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

/**
 * Retires two kinds of reports: those of versions that have no image and ended longer ago than the image retention
 * time of their company, and those that a later scan of the same build replaced.
 */
export async function retireOverdueReports(db: Executing, now: Date, limit: number): Promise<void> {
  await sql`${acrossCompanies('a sweep of all companies')}
    update owned_objects set deletion_state = 'delete_pending' where id in (
      select o.id from owned_objects o
      join build_attempts a on a.id = o.build_attempt_id
      join environment_versions v on v.id = a.environment_version_id
      left join company_settings s on s.company_id = o.company_id
      where o.object_kind = 'report' and o.deletion_state = 'active'
        and (o.id not in (a.report_object_id, a.sbom_object_id) or (
          v.state in ('archived', 'rejected', 'abandoned', 'superseded')
          and v.layer_digest is null and v.retiring_layer_digest is null
          and v.state_changed_at < ${now}::timestamptz
            - make_interval(days => coalesce(s.unreferenced_image_retention_days, ${imageRetentionDefaultDays}))
        ))
      limit ${limit}
    )
  `.execute(db)
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
