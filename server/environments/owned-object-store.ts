import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'
import type { OwnedObjectsTable } from '../db/tables/environments.ts'

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

/** Archives of an environment, newest first, with the versions of that environment made from the same bytes. */
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
