import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  EnvironmentVersion,
  EnvironmentVersionCreateRequest,
  EnvironmentVersionList,
} from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { regionsOf } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { environmentVersionMachine } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import type { PageRequest } from '../../base/page.ts'
import { companyPolicy } from '../../companies/settings/company-policy.ts'
import { requireStorageQuota, rowBytes } from '../../companies/storage/storage-quota.ts'
import { lockCompany } from '../../db/company-lock.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { recordCreated } from '../../db/transition.ts'
import { type EnvironmentRow, requireActive, seesSource } from '../catalogue/environment.ts'
import { managedEnvironment, readableEnvironment } from '../catalogue/environment-access.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import { lockEnvironment } from '../catalogue/environment-store.ts'
import { findContextObject } from '../uploads/owned-object-store.ts'
import { renderVersion } from './render-version.ts'
import {
  countRetainedVersions,
  findVersion,
  insertVersion,
  type LockedVersion,
  listVersionViews,
  lockVersion,
  type VersionView,
} from './version-store.ts'
import { transitionVersion } from './version-transitions.ts'

export type { LockedVersion } from './version-store.ts'

export interface VersionPath {
  environmentId: string
  versionId: string
}

/** Versions of a readable environment, newest first. */
export async function listVersions(
  context: EnvironmentContext,
  principal: Principal,
  environmentId: string,
  query: PageRequest & { lifecycle?: Lifecycle },
): Promise<EnvironmentVersionList> {
  const environment = await readableEnvironment(context.db, principal, environmentId)
  const size = query.page_size ?? catalogPageSizeDefault
  const lifecycle = query.lifecycle ?? 'active'
  const list = `versions:${environmentId}:${lifecycle}`
  const cursor = context.pageTokens.read(list, query.page_token)
  const rows = await listVersionViews(
    context.db,
    { companyId: principal.companyId, environmentId },
    {
      lifecycle,
      beforeId: cursor && String(cursor[0]),
      limit: size + 1,
    },
  )
  const builds = await lastBuilds(context, principal, rows)
  const show = shownTo(context, principal, environment)
  return context.pageTokens.page(list, rows, size, {
    item: (row) => renderVersion(row, builds.get(row.last_build_attempt_id ?? ''), show),
    cursor: (row) => [row.id],
  })
}

export async function readVersion(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<EnvironmentVersion> {
  const environment = await readableEnvironment(context.db, principal, path.environmentId)
  return versionOf(context, principal, environment, path.versionId)
}

/** A version of an environment that the caller may read. */
async function versionOf(
  context: EnvironmentContext,
  principal: Principal,
  environment: EnvironmentRow,
  versionId: string,
): Promise<EnvironmentVersion> {
  const view = await findVersion(context.db, {
    companyId: principal.companyId,
    environmentId: environment.id,
    versionId,
  })
  if (!view) throw notFound()
  const builds = await lastBuilds(context, principal, [view])
  const build = builds.get(view.last_build_attempt_id ?? '')
  return renderVersion(view, build, shownTo(context, principal, environment))
}

const lastBuilds = (context: EnvironmentContext, principal: Principal, views: readonly VersionView[]) =>
  context.readLastBuilds(
    context.db,
    principal.companyId,
    views.flatMap(({ last_build_attempt_id: id }) => id ?? []),
  )

const shownTo = (context: EnvironmentContext, principal: Principal, environment: EnvironmentRow) => ({
  owner: seesSource(principal, environment),
  regions: regionsOf(context.deployment).map((region) => region.code),
})

/**
 * Creates an immutable version from a received archive, or from a digest alone. The build of a digest-only version
 * fails. Throws `version_allocation_exhausted` and `storage_quota_exceeded`.
 */
export async function createVersion(
  context: EnvironmentContext,
  principal: Principal,
  environmentId: string,
  body: EnvironmentVersionCreateRequest,
): Promise<EnvironmentVersion> {
  const managed = await managedEnvironment(context.db, principal, 'environment.change', environmentId)
  requireActive(managed)
  const source = await resolveSource(context, principal, environmentId, body)
  const id = newId('environmentVersion')
  await context.db.transaction().execute(async (trx) => {
    await lockCompany(trx, principal.companyId, 'versions')
    const environment = await lockEnvironment(trx, principal.companyId, environmentId)
    if (!environment) throw notFound()
    requireActive(environment)
    const { capacityRetainedVersionLimit: limit } = await companyPolicy(trx, principal.companyId)
    if ((await countRetainedVersions(trx, principal.companyId)) >= limit) {
      throw new CodedError('version_allocation_exhausted', { limit })
    }
    const { companyId } = principal
    await requireStorageQuota(trx, companyId, rowBytes.version)
    await insertVersion(trx, {
      id,
      company_id: companyId,
      environment_id: environmentId,
      resource_profile: body.resource_profile,
      owned_object_id: source.objectId,
      source_digest: source.digest,
      source_ref: body.source_ref ?? '',
    })
    await recordCreated(trx, { machine: environmentVersionMachine, id, companyId, state: 'draft' })
  })
  return versionOf(context, principal, managed, id)
}

async function resolveSource(
  context: EnvironmentContext,
  principal: Principal,
  environmentId: string,
  body: EnvironmentVersionCreateRequest,
): Promise<{ objectId: string | null; digest: string }> {
  if (body.owned_object_id == null) {
    if (body.source_digest != null) return { objectId: null, digest: body.source_digest }
    throw invalid(['body'], 'missing', 'must have owned_object_id or source_digest')
  }
  const object = await findContextObject(context.db, {
    companyId: principal.companyId,
    environmentId,
    objectId: body.owned_object_id,
  })
  if (!object) throw notFound()
  if (body.source_digest != null && body.source_digest !== object.digest) {
    throw new CodedError('source_digest_mismatch')
  }
  return { objectId: object.id, digest: object.digest }
}

/** Throws if the environment does not have the version. */
export async function requireVersion(db: Executing, companyId: string, path: VersionPath): Promise<void> {
  const { environmentId, versionId } = path
  if (!(await findVersion(db, { companyId, environmentId, versionId }))) throw notFound()
}

/** For builds: the company's version, locked until the transaction ends. */
export async function lockManagedVersion(
  trx: Trx,
  companyId: string,
  path: VersionPath,
): Promise<LockedVersion> {
  const version = await lockVersion(trx, companyId, path.versionId)
  if (version?.environment_id !== path.environmentId) throw notFound()
  return version
}

/** Archives a version that has no active build. */
export async function archiveVersion(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<EnvironmentVersion> {
  await managedEnvironment(context.db, principal, 'environment.change', path.environmentId)
  await requireVersion(context.db, principal.companyId, path)
  await context.db.transaction().execute(async (trx) => {
    const left = await transitionVersion(
      trx,
      { id: path.versionId, company_id: principal.companyId },
      { to: 'archived' },
    )
    if (left === undefined) throw new CodedError('illegal_transition')
  })
  return readVersion(context, principal, path)
}
