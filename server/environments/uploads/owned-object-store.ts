import { imageRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { OwnedObjectsTable } from '../../db/tables/environments.ts'
import { isDue } from '../../work/removal.ts'

export type OwnedObjectRow = Selectable<OwnedObjectsTable>

export interface NewContextObject {
  id: string
  company_id: string
  environment_id: string
  archive_format: string
  storage_key: string
  byte_size: number
  digest: string
}

export async function insertContextObject(trx: Trx, object: NewContextObject): Promise<void> {
  await trx
    .insertInto('owned_objects')
    .values({ ...object, object_kind: 'context', build_attempt_id: null, expires_at: null })
    .execute()
}

/** An active archive of the environment. */
export async function findContextObject(
  db: Executing,
  key: { companyId: string; environmentId: string; objectId: string },
): Promise<OwnedObjectRow | undefined> {
  return db
    .selectFrom('owned_objects')
    .selectAll()
    .where('id', '=', key.objectId)
    .where('company_id', '=', key.companyId)
    .where('environment_id', '=', key.environmentId)
    .where('object_kind', '=', 'context')
    .where('deletion_state', '=', 'active')
    .executeTakeFirst()
}

export type ContextObjectRow = OwnedObjectRow & { used_by_version_ids: string[] }

/**
 * Archives of an environment, newest first, with the versions of that environment that were made from the same bytes.
 */
export async function listContextObjectRows(
  db: Executing,
  of: { companyId: string; environmentId: string },
  list: { lifecycle: Lifecycle; beforeId: string | undefined; limit: number },
): Promise<ContextObjectRow[]> {
  let query = db
    .selectFrom('owned_objects as o')
    .selectAll('o')
    .select(
      sql<string[]>`array(
        select v.id from environment_versions v
        where v.environment_id = o.environment_id and v.source_digest = o.digest order by v.id
      )`.as('used_by_version_ids'),
    )
    .where('o.company_id', '=', of.companyId)
    .where('o.environment_id', '=', of.environmentId)
    .where('o.object_kind', '=', 'context')
    .orderBy('o.id', 'desc')
    .limit(list.limit)
  if (list.lifecycle !== 'all') {
    query = query.where('o.deletion_state', list.lifecycle === 'active' ? '=' : '<>', 'active')
  }
  if (list.beforeId !== undefined) query = query.where('o.id', '<', list.beforeId)
  return query.execute()
}

/**
 * Sets the expiry of archives of archived environments, which no longer build anything. They are kept as long as the
 * company keeps images.
 */
export async function expireContexts(db: Executing, now: Date, limit: number): Promise<void> {
  await sql`${acrossCompanies('a sweep of all companies')}
    update owned_objects o set expires_at = ${now}::timestamptz + make_interval(days => overdue.days) from (
      select c.id, coalesce(s.unreferenced_image_retention_days, ${imageRetentionDefaultDays}) as days
      from owned_objects c join environments e on e.id = c.environment_id
      left join company_settings s on s.company_id = c.company_id
      where c.object_kind = 'context' and c.deletion_state = 'active' and c.expires_at is null and e.state = 'archived'
      limit ${limit}
    ) overdue where o.id = overdue.id
  `.execute(db)
}

/** Retires expired archives. */
export async function retireContexts(db: Executing, now: Date): Promise<void> {
  await db
    .updateTable('owned_objects')
    .set({ deletion_state: 'delete_pending' })
    .where('object_kind', '=', 'context')
    .where('deletion_state', '=', 'active')
    .where('expires_at', '<=', now)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()
}

/** Retired archives whose bytes may still exist. */
export const listRetiredContexts = (
  db: Executing,
  now: Date,
  limit: number,
): Promise<{ id: string; storage_key: string }[]> =>
  db
    .selectFrom('owned_objects')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'storage_key'])
    .where('object_kind', '=', 'context')
    .where('deletion_state', '=', 'delete_pending')
    .where(isDue(sql`owned_objects.id`, now))
    .orderBy('id')
    .limit(limit)
    .execute()

/** The bytes are removed. The row stays as a tombstone. */
export const tombstoneContext = (db: Executing, id: string): Promise<unknown> =>
  db
    .updateTable('owned_objects')
    .set({ deletion_state: 'tombstoned' })
    .where('id', '=', id)
    .where('deletion_state', '=', 'delete_pending')
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()
