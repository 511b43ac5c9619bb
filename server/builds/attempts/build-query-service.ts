import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { BuildAttempt, BuildAttemptList } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RegionCode } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { PageRequest } from '../../base/page.ts'
import type { Executing } from '../../db/database.ts'
import { seesSource } from '../../environments/catalogue/environment.ts'
import { readableEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import { progressOf, terminalClassOf } from '../../environments/versions/build-progress.ts'
import { requireVersion, type VersionPath } from '../../environments/versions/version-service.ts'
import { type AttemptView, findAttempt, listAttempts } from './attempt-record-store.ts'

export interface BuildPath extends VersionPath {
  attemptId: string
}

/** Builds of a company's version, newest first. Builds of a curated version are visible only to the operator. */
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
  const owner = seesSource(principal, environment)
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
  const { attempt, environment } = await readableBuild(context.db, principal, path)
  return renderAttempt(attempt, seesSource(principal, environment))
}

/** A build that the company made, for whoever may read it; throws `not_found`. */
export async function readableBuild(db: Executing, principal: Principal, path: BuildPath) {
  const environment = await readableEnvironment(db, principal, path.environmentId)
  const attempt = await findAttempt(db, { companyId: principal.companyId, ...path }, path.attemptId)
  if (!attempt) throw notFound()
  return { attempt, environment }
}

/** Wire form (contract part 1, "Build attempt"). Only owners see the details of a failure. */
export function renderAttempt(attempt: AttemptView, owner: boolean): BuildAttempt {
  const progress = progressOf(attempt, owner)
  return {
    id: attempt.id,
    company_id: attempt.company_id,
    environment_version_id: attempt.environment_version_id,
    attempt_number: attempt.attempt_number,
    status: attempt.state as BuildAttemptState,
    phase: '',
    stage_code: attempt.stage_code,
    error_code: attempt.error_code,
    error_detail: owner ? attempt.error_detail : '',
    terminal_class: terminalClassOf(attempt.state),
    build_region: attempt.build_region as RegionCode,
    build_profile: attempt.build_profile as BuildProfile,
    raw_upload_digest: owner ? attempt.raw_upload_digest : '',
    canonical_digest: owner ? attempt.canonical_digest : '',
    queued_at: attempt.queued_at.toISOString(),
    retryable_until: attempt.retryable_until?.toISOString() ?? null,
    report_total_bytes: attempt.report_total_bytes,
    stage_index: progress.index,
    stage_count: progress.count,
    stage_since: progress.since,
    next_action: progress.nextAction,
  }
}
