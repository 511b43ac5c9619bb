import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environment-version.ts'
import type { ResourceProfile } from '@sandbox-jobs/contract/resources/profile.ts'
import type { SecurityState } from '@sandbox-jobs/contract/states/catalog-states.ts'
import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { progressOf, terminalClassOf } from './build-progress.ts'
import { isRunnerApproved } from './ready-versions.ts'
import { isRetained } from './version.ts'
import type { LastAttempt, VersionView } from './version-store.ts'

/** Told while a build runs and none of the company's has completed yet. */
const firstBuildSeconds = 60

/**
 * Wire form (contract part 1, "Environment version"). Only owners see the source and the detail of a failure.
 */
export function renderVersion(
  view: VersionView,
  show: { owner: boolean; regions: readonly string[] },
): EnvironmentVersion {
  const ready = view.state === 'ready' ? 'ready' : 'not_ready'
  const approved = isRunnerApproved(view)
  return {
    id: view.id,
    environment_id: view.environment_id,
    company_id: view.company_id,
    version_number: view.version_number,
    state: view.state as EnvironmentVersionState,
    security_state: view.security_state as SecurityState,
    resource_profile: view.resource_profile as ResourceProfile,
    capacity_retained: isRetained(view.state),
    promoted_digest: view.promoted_digest,
    composed_execution_digest: view.composed_execution_digest,
    runner_release: null,
    runner_abi_revision: null,
    policy_revision: null,
    runner_release_approved: approved,
    runner_release_next_action: approved ? '' : 'Build the version.',
    region_readiness: Object.fromEntries(show.regions.map((region) => [region, ready])),
    ready_at: view.ready_at?.toISOString() ?? null,
    verified_at: view.verified_at?.toISOString() ?? null,
    compressed_bytes: view.compressed_bytes,
    unpacked_bytes: view.unpacked_bytes,
    ...renderLastBuild(view.attempt, show.owner),
    ...renderProgress(view, show.owner),
    source_digest: show.owner ? view.source_digest : null,
    source_ref: show.owner ? view.source_ref : null,
  }
}

const renderLastBuild = (attempt: LastAttempt | null, owner: boolean) => ({
  last_build_attempt_id: attempt?.id ?? '',
  last_build_status: attempt?.state ?? '',
  last_build_terminal_class: attempt ? terminalClassOf(attempt.state) : '',
  last_build_stage_code: attempt?.stage_code ?? '',
  last_build_error_code: attempt?.error_code ?? '',
  last_build_error_detail: owner ? (attempt?.error_detail ?? '') : '',
})

/** A version whose image is looked after has no build to tell of. */
const provisioningActions: Partial<Record<string, string>> = {
  regional_provisioning:
    'The image is being brought to where it runs. Read the version again in a few seconds.',
  provisioning_blocked: 'The stored image cannot be used. Retry provisioning, or build a new version.',
}

function renderProgress({ attempt, state, expected_seconds }: VersionView, owner: boolean) {
  if (!attempt) {
    return {
      build_stage: '' as const,
      build_stage_index: 0,
      build_stage_count: 0,
      build_stage_since: null,
      build_expected_seconds: 0,
      build_next_action: state === 'draft' ? 'Queue a build.' : '',
    }
  }
  const progress = progressOf(attempt, owner)
  const running = terminalClassOf(attempt.state) === ''
  const over = state === 'ready' || state === 'archived'
  return {
    build_stage: progress.stage,
    build_stage_index: progress.index,
    build_stage_count: progress.count,
    build_stage_since: progress.since,
    build_expected_seconds: running ? (expected_seconds ?? firstBuildSeconds) : 0,
    build_next_action: over ? '' : (provisioningActions[state] ?? progress.nextAction),
  }
}
