import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { BuildAttempt, BuildAttemptList } from '@sandbox-jobs/contract/resources/build-attempt.ts'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { notFound } from '../base/coded-error.ts'
import type { PageRequest } from '../base/page.ts'
import { ownsEnvironment } from '../environments/environment.ts'
import { readableEnvironment } from '../environments/environment-access.ts'
import type { EnvironmentContext } from '../environments/environment-context.ts'
import { requireVersion, type VersionPath } from '../environments/version-service.ts'
import type { Principal } from '../platform/principal.ts'
import { findAttempt, listAttempts } from './attempt-record-store.ts'
import { renderAttempt } from './render-attempt.ts'

export interface BuildPath extends VersionPath {
  attemptId: string
}

/** Builds of a version that the company made, newest first; those of a curated one are the operator's. */
export async function listBuilds(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
  query: PageRequest & { status?: BuildAttemptState[] },
): Promise<BuildAttemptList> {
  const environment = await readableEnvironment(context.db, principal, path.environmentId)
  await requireVersion(context.db, principal.companyId, path)
  const size = query.page_size ?? catalogPageSizeDefault
  const list = `builds:${path.versionId}:${query.status?.toSorted().join(',') ?? ''}`
  const cursor = context.pageTokens.read(list, query.page_token)
  const rows = await listAttempts(
    context.db,
    { companyId: principal.companyId, ...path },
    { status: query.status, beforeId: cursor && String(cursor[0]), limit: size + 1 },
  )
  const owner = ownsEnvironment(principal, environment)
  return context.pageTokens.page(list, rows, size, {
    item: (row) => renderAttempt(row, owner),
    cursor: (row) => [row.id],
  })
}

export async function readBuild(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<BuildAttempt> {
  const environment = await readableEnvironment(context.db, principal, path.environmentId)
  const attempt = await findAttempt(context.db, { companyId: principal.companyId, ...path }, path.attemptId)
  if (!attempt) throw notFound()
  return renderAttempt(attempt, ownsEnvironment(principal, environment))
}
