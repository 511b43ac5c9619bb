import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
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

/** Locks the row, so that only one request at a time assigns version numbers or archives the environment. */
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

/** False if the environment does not exist. */
export async function setAllowList(
  db: Executing,
  environment: { id: string; company_id: string },
  allowList: EgressAllowList | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('environments')
    .set({ egress_allow_list: allowList })
    .where('id', '=', environment.id)
    .where('company_id', '=', environment.company_id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Newest first. `beforeId` is the last row of the previous page. */
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

/** False if an active curated environment has that name. */
export async function insertCuratedEnvironment(
  trx: Trx,
  environment: { id: string; name: string; description: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('environments')
    .values({
      ...environment,
      company_id: null,
      owner_kind: 'system_curated',
      owner_scope: 'company',
      owner_id: '',
      current_version_id: null,
    })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .where('owner_kind', '=', sql.lit('system_curated'))
        .where('state', '=', sql.lit('active'))
        .doNothing(),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Locks the active curated environment with that name and returns its id. */
export async function lockCuratedEnvironment(trx: Trx, name: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('environments')
    .modifyFront(acrossCompanies('curated environments are of no company'))
    .select('id')
    .where('owner_kind', '=', 'system_curated')
    .where('state', '=', 'active')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst()
  return row?.id
}

export type CuratedEnvironment = Pick<EnvironmentRow, 'id' | 'name' | 'description' | 'state'> & {
  current_version_number: number | null
}

/** Newest first. */
export async function listCuratedRows(db: Executing): Promise<CuratedEnvironment[]> {
  return db
    .selectFrom('environments as e')
    .modifyFront(acrossCompanies('curated environments are of no company'))
    .leftJoin('environment_versions as v', 'v.id', 'e.current_version_id')
    .select(['e.id', 'e.name', 'e.description', 'e.state', 'v.version_number as current_version_number'])
    .where('e.owner_kind', '=', 'system_curated')
    .orderBy('e.id', 'desc')
    .execute()
}

/** Changes an active environment. Undefined if it was archived concurrently. */
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

/**
 * The current version of an environment of the company, locked until the transaction ends; null: none, or a curated
 * environment. Others may still insert rows that refer to the environment: an exception does while it has its finding locked.
 */
export async function lockCurrentVersion(
  trx: Trx,
  { companyId, environmentId }: { companyId: string; environmentId: string },
): Promise<string | null> {
  const row = await trx
    .selectFrom('environments')
    .select('current_version_id')
    .where('id', '=', environmentId)
    .where('company_id', '=', companyId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row?.current_version_id ?? null
}

/** A current version and the build that produced it. */
export interface ComparedVersion {
  environmentId: string
  versionId: string
  attemptId: string
}

/** Versions of active environments, least recently compared first. */
export async function listOutdatedVersions(
  db: Executing,
  revision: number,
  limit: number,
): Promise<ComparedVersion[]> {
  return db
    .selectFrom('environments as e')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .innerJoin('environment_versions as v', 'v.id', 'e.current_version_id')
    .select(['e.id as environmentId', 'v.id as versionId', 'v.last_build_attempt_id as attemptId'])
    .where('v.last_build_attempt_id', 'is not', null)
    .$narrowType<{ attemptId: string }>()
    .where('e.state', '=', 'active')
    .where('e.vulnerabilities_revision', '<', revision)
    .orderBy('e.vulnerabilities_revision')
    .limit(limit)
    .execute()
}

export const recordCompared = (trx: Trx, version: ComparedVersion, revision: number): Promise<unknown> =>
  trx
    .updateTable('environments')
    .set({ vulnerabilities_revision: revision })
    .where('id', '=', version.environmentId)
    .where('current_version_id', '=', version.versionId)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()

/**
 * The current version is the ready version with the highest number, or none. `version` is any version of the
 * environment. When a version becomes current, its packages are compared again with known vulnerabilities.
 */
export async function refreshCurrentVersion(
  trx: Trx,
  version: { id: string; company_id: string | null },
): Promise<void> {
  await sql`
    update environments e set
      current_version_id = current.id,
      vulnerabilities_revision = case
        when e.current_version_id is distinct from current.id then 0 else e.vulnerabilities_revision end
    from (
      select environment_id, company_id from environment_versions
      where id = ${version.id} and coalesce(company_id, ${version.company_id}) is not distinct from ${version.company_id}
    ) of
    left join lateral (
      select id from environment_versions
      where environment_id = of.environment_id and company_id is not distinct from of.company_id and state = 'ready'
      order by version_number desc limit 1
    ) current on true
    where e.id = of.environment_id
  `.execute(trx)
}
