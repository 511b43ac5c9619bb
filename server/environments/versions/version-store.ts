import { buildRetryWindowSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { EnvironmentVersionsTable } from '../../db/tables/environments.ts'
import type { RecordedImage } from '../../images/provenance/verify-stored.ts'
import { unretainedVersionStates } from './version.ts'

export type VersionRow = Selectable<EnvironmentVersionsTable>

export type VersionView = VersionRow & {
  /** Null until a runner is chosen. */
  runner: { abiRevision: number; approved: boolean } | null
}

/** A curated version has no company. It is hidden until it was ready once. */
const selectView = (db: Executing, companyId: string) =>
  db
    .selectFrom('environment_versions as v')
    .where((eb) =>
      eb.or([
        eb('v.company_id', '=', companyId),
        eb.and([eb('v.company_id', 'is', null), eb('v.ready_at', 'is not', null)]),
      ]),
    )
    .leftJoin('runner_releases as r', 'r.release', 'v.runner_release')
    .selectAll('v')
    .select(['r.abi_revision', 'r.approved_at as runner_approved_at'])

type Joined = Awaited<ReturnType<ReturnType<typeof selectView>['execute']>>[number]

function toView({ abi_revision, runner_approved_at, ...version }: Joined): VersionView {
  const runner =
    abi_revision === null ? null : { abiRevision: abi_revision, approved: runner_approved_at !== null }
  return { ...version, runner }
}

/** A version of an environment. The caller has checked that the environment is visible. */
export async function findVersion(
  db: Executing,
  path: { companyId: string; environmentId: string; versionId: string },
): Promise<VersionView | undefined> {
  const row = await selectView(db, path.companyId)
    .where('v.id', '=', path.versionId)
    .where('v.environment_id', '=', path.environmentId)
    .executeTakeFirst()
  return row && toView(row)
}

/** Changes the fields that an owner may change at any time. False if the environment has no such version. */
export async function changeVersion(
  db: Executing,
  path: { companyId: string; environmentId: string; versionId: string },
  wish: Partial<Pick<VersionRow, 'isolation' | 'build_cache'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('environment_versions')
    .set(wish)
    .where('id', '=', path.versionId)
    .where('company_id', '=', path.companyId)
    .where('environment_id', '=', path.environmentId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Newest first. */
export async function listVersionViews(
  db: Executing,
  { companyId, environmentId }: { companyId: string; environmentId: string },
  list: { lifecycle: Lifecycle; beforeId: string | undefined; limit: number },
): Promise<VersionView[]> {
  let query = selectView(db, companyId)
    .where('v.environment_id', '=', environmentId)
    .orderBy('v.id', 'desc')
    .limit(list.limit)
  if (list.lifecycle !== 'all') {
    query = query.where('v.state', list.lifecycle === 'active' ? '<>' : '=', 'archived')
  }
  if (list.beforeId !== undefined) query = query.where('v.id', '<', list.beforeId)
  return (await query.execute()).map(toView)
}

/** A locked version, and whether its last failure can still be retried. */
export type LockedVersion = VersionRow & { retry_window_open: boolean }

/** Locks the row while a request decides whether a build can be queued for it. */
export async function lockVersion(
  trx: Trx,
  companyId: string,
  id: string,
): Promise<LockedVersion | undefined> {
  return trx
    .selectFrom('environment_versions')
    .selectAll()
    .select(
      sql<boolean>`state_changed_at + ${buildRetryWindowSeconds} * interval '1 second' > now()`.as(
        'retry_window_open',
      ),
    )
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .forUpdate()
    .executeTakeFirst()
}

/** Failed versions whose retry window is over. */
export async function listUnretriedVersions(
  db: Executing,
  limit: number,
): Promise<Pick<VersionRow, 'id' | 'company_id'>[]> {
  return db
    .selectFrom('environment_versions')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'company_id'])
    .where('state', '=', 'retryable_failed')
    .where('state_changed_at', '<=', sql<Date>`now() - ${buildRetryWindowSeconds} * interval '1 second'`)
    .orderBy('state_changed_at')
    .limit(limit)
    .execute()
}

export async function countRetainedVersions(trx: Trx, companyId: string): Promise<number> {
  const row = await trx
    .selectFrom('environment_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .where('state', 'not in', unretainedVersionStates)
    .executeTakeFirstOrThrow()
  return row.count
}

export interface NewVersion {
  id: string
  /** Null for a curated environment. */
  company_id: string | null
  environment_id: string
  resource_profile: string
  owned_object_id: string | null
  source_digest: string
  source_ref: string
  isolation?: VersionRow['isolation']
}

/** Returns the next version number of the environment. The caller holds the lock of the environment's row. */
export async function insertVersion(trx: Trx, version: NewVersion): Promise<number> {
  const row = await trx
    .insertInto('environment_versions')
    .values((eb) => ({
      ...version,
      state: 'draft',
      version_number: eb
        .selectFrom('environment_versions')
        .select(sql<number>`coalesce(max(version_number), 0) + 1`.as('next'))
        .where('environment_id', '=', version.environment_id)
        .where('company_id', 'is not distinct from', version.company_id),
    }))
    .returning('version_number')
    .executeTakeFirstOrThrow()
  return row.version_number
}

/** Any version, with the digest of the archive it was made from, if the archive still exists. */
export async function findPublishable(db: Executing, id: string) {
  return db
    .selectFrom('environment_versions as v')
    .modifyFront(acrossCompanies('the operator publishes a curated version'))
    .leftJoin('owned_objects as o', (join) =>
      join.onRef('o.id', '=', 'v.owned_object_id').on('o.deletion_state', '=', 'active'),
    )
    .selectAll('v')
    .select('o.digest as object_digest')
    .where('v.id', '=', id)
    .executeTakeFirst()
}

/** Any version that has an image and is not blocked. */
export async function findSignedVersion(db: Executing, id: string): Promise<RecordedImage | undefined> {
  const row = await db
    .selectFrom('environment_versions')
    .modifyFront(acrossCompanies('the operator pushes images to a cluster'))
    .select(['promoted_digest', 'layer_digest'])
    .where('id', '=', id)
    .where('security_state', '=', 'clear')
    .executeTakeFirst()
  if (!row?.promoted_digest || !row.layer_digest) return undefined
  return { id, promotedDigest: row.promoted_digest, layerDigest: row.layer_digest }
}

/**
 * Ready versions of the environment with the same archive and profile, older than the given one and composed with
 * another runner.
 */
export async function listOlderCompositions(
  trx: Trx,
  version: Pick<VersionRow, 'id' | 'company_id'>,
): Promise<Pick<VersionRow, 'id' | 'company_id'>[]> {
  return trx
    .selectFrom('environment_versions as v')
    .innerJoin('environment_versions as n', (join) =>
      join
        .onRef('n.environment_id', '=', 'v.environment_id')
        .onRef('n.source_digest', '=', 'v.source_digest')
        .onRef('n.resource_profile', '=', 'v.resource_profile'),
    )
    .select(['v.id', 'v.company_id'])
    .where('n.id', '=', version.id)
    .where(
      sql<boolean>`coalesce(n.company_id, ${version.company_id}) is not distinct from ${version.company_id}`,
    )
    .where('n.state', '=', 'ready')
    .where('v.state', '=', 'ready')
    .whereRef('v.version_number', '<', 'n.version_number')
    .whereRef('v.runner_release', '<>', 'n.runner_release')
    .execute()
}

/** For other domains: a version of the company or a curated one, with the data that a run needs. */
export async function findRunnableVersion(db: Executing, companyId: string, versionId: string) {
  return db
    .selectFrom('environment_versions as v')
    .innerJoin('environments as e', 'e.id', 'v.environment_id')
    .leftJoin('runner_releases as r', 'r.release', 'v.runner_release')
    .where('v.id', '=', versionId)
    .where((eb) => eb.or([eb('v.company_id', '=', companyId), eb('v.company_id', 'is', null)]))
    .select((eb) => [
      'v.id',
      'v.environment_id',
      'e.name as environment_name',
      'v.resource_profile',
      'v.state',
      eb
        .case()
        .when('e.security_state', '=', 'blocked')
        .then('blocked')
        .else(eb.ref('v.security_state'))
        .end()
        .as('security_state'),
      'v.layer_digest',
      'v.image_config',
      'v.promoted_digest',
      sql<boolean>`r.approved_at is not null`.as('runner_approved'),
    ])
    .executeTakeFirst()
}
