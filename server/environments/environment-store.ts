import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import { sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'
import type { EnvironmentRow } from './environment.ts'

/** One of the company's environments or a curated one. */
export async function findEnvironment(
  db: Executing,
  companyId: string,
  id: string,
): Promise<EnvironmentRow | undefined> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('company_id', '=', companyId), eb('company_id', 'is', null)]))
    .executeTakeFirst()
}

/** Holds the row, so that version numbers and the archive move are decided by one request at a time. */
export async function lockEnvironment(
  trx: Trx,
  companyId: string,
  id: string,
): Promise<EnvironmentRow | undefined> {
  return trx
    .selectFrom('environments')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .forUpdate()
    .executeTakeFirst()
}

/** Newest first; `beforeId` is the last one already shown. */
export async function listEnvironmentRows(
  db: Executing,
  companyId: string,
  list: { lifecycle: Lifecycle; beforeId: string | undefined; limit: number },
): Promise<EnvironmentRow[]> {
  let query = db
    .selectFrom('environments')
    .selectAll()
    .where((eb) => eb.or([eb('company_id', '=', companyId), eb('company_id', 'is', null)]))
    .orderBy('id', 'desc')
    .limit(list.limit)
  if (list.lifecycle !== 'all')
    query = query.where('state', list.lifecycle === 'active' ? '<>' : '=', 'archived')
  if (list.beforeId !== undefined) query = query.where('id', '<', list.beforeId)
  return query.execute()
}

export async function countActiveEnvironments(trx: Trx, companyId: string): Promise<number> {
  const row = await trx
    .selectFrom('environments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow()
  return row.count
}

export interface NewEnvironment {
  id: string
  company_id: string
  owner_scope: 'company' | 'department'
  owner_id: string
  name: string
  description: string
}

export async function insertEnvironment(trx: Trx, environment: NewEnvironment): Promise<EnvironmentRow> {
  return trx
    .insertInto('environments')
    .values({ ...environment, owner_kind: 'company', state: 'active', current_version_id: null })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Changes an active environment; undefined when it was archived meanwhile. */
export async function updateEnvironmentTexts(
  db: Executing,
  companyId: string,
  id: string,
  texts: { name?: string; description?: string },
): Promise<EnvironmentRow | undefined> {
  return db
    .updateTable('environments')
    .set(texts)
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .where('state', '=', 'active')
    .returningAll()
    .executeTakeFirst()
}

/** The current version, which stays that until the transaction ends. */
export async function lockCurrentVersion(trx: Trx, id: string): Promise<string | null> {
  const row = await trx
    .selectFrom('environments')
    .select('current_version_id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row.current_version_id
}

/** The current version is the ready one with the highest number, or none; `versionId` names any of them. */
export async function refreshCurrentVersion(trx: Trx, versionId: string): Promise<void> {
  await sql`
    update environments e set current_version_id = (
      select id from environment_versions
      where environment_id = e.id and state = 'ready'
      order by version_number desc limit 1
    ) where e.id = (select environment_id from environment_versions where id = ${versionId})
  `.execute(trx)
}
