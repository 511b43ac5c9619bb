import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import type { ResourceProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { SecurityState } from '@sandbox-jobs/contract/states/catalog-states.ts'
import {
  buildableVersionStates,
  type EnvironmentVersionState,
} from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { LastAttempt, LastBuild } from '../catalogue/environment-context.ts'
import { progressOf, terminalClassOf } from './build-progress.ts'
import { isRetained } from './version.ts'
import type { VersionView } from './version-store.ts'

/** Estimate shown while a build runs, if no build of the company has completed yet. */
const firstBuildSeconds = 60

/** Wire form (contract part 1, "Environment version"). Only owners see the source and the details of a failure. */
export function renderVersion(
  view: VersionView,
  build: LastBuild | undefined,
  show: { owner: boolean; regions: readonly string[] },
): EnvironmentVersion {
  const ready = view.state === 'ready' ? 'ready' : 'not_ready'
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
    runner_release: view.runner_release,
    runner_abi_revision: view.runner && String(view.runner.abiRevision),
    policy_revision: view.policy_revision,
    runner_release_approved: view.runner?.approved ?? false,
    runner_release_next_action: runnerAction(view),
    region_readiness: Object.fromEntries(show.regions.map((region) => [region, ready])),
    ready_at: view.ready_at?.toISOString() ?? null,
    verified_at: view.verified_at?.toISOString() ?? null,
    compressed_bytes: view.compressed_bytes,
    unpacked_bytes: view.unpacked_bytes,
    ...renderLastBuild(build?.attempt, show.owner),
    ...renderProgress(view, build, show.owner),
    source_digest: show.owner ? view.source_digest : null,
    source_ref: show.owner ? view.source_ref : null,
  }
}

function runnerAction({ runner, state, runner_release }: VersionView): string {
  if (runner?.approved) return ''
  if (runner)
    return `Ask the operator to approve ${runner_release}, or build a new version on an approved runner.`
  if (state === 'ready') return 'Build a new version: nothing was signed for this one.'
  if (!isRetained(state)) return 'Build a new version: this one cannot be built any more.'
  return isBuildable(state) ? 'Build the version.' : 'Wait for the build of the version to end.'
}

const renderLastBuild = (attempt: LastAttempt | undefined, owner: boolean) => ({
  last_build_attempt_id: attempt?.id ?? '',
  last_build_status: attempt?.state ?? '',
  last_build_terminal_class: attempt ? terminalClassOf(attempt.state) : '',
  last_build_stage_code: attempt?.stage_code ?? '',
  last_build_error_code: attempt?.error_code ?? '',
  last_build_error_detail: owner ? (attempt?.error_detail ?? '') : '',
})

const isBuildable = (state: string): boolean => buildableVersionStates.some((other) => other === state)

/** For versions in provisioning states, which have no active build. */
const provisioningActions: Partial<Record<string, string>> = {
  regional_provisioning:
    'The image is being brought to where it runs. Read the version again in a few seconds.',
  provisioning_blocked: 'The stored image cannot be used. Retry provisioning, or build a new version.',
  blocked: 'The operator has blocked this image. Ask the operator, or build another one.',
}

/** Only owners see the problem of the image. */
function provisioningAction(state: string, reason: string): string | undefined {
  const action = provisioningActions[state]
  return action !== undefined && reason !== '' ? `${action} (${reason})` : action
}

function renderProgress(view: VersionView, build: LastBuild | undefined, owner: boolean) {
  const { state } = view
  const reason = owner && state !== 'blocked' ? view.blocked_reason : ''
  if (!build) {
    return {
      build_stage: '' as const,
      build_stage_index: 0,
      build_stage_count: 0,
      build_stage_since: null,
      build_expected_seconds: 0,
      build_next_action: state === 'draft' ? 'Queue a build.' : (provisioningAction(state, reason) ?? ''),
    }
  }
  const { attempt, expectedSeconds } = build
  const progress = progressOf(attempt, owner)
  const running = terminalClassOf(attempt.state) === ''
  const over = state === 'ready' || state === 'archived'
  return {
    build_stage: progress.stage,
    build_stage_index: progress.index,
    build_stage_count: progress.count,
    build_stage_since: progress.since,
    build_expected_seconds: running ? (expectedSeconds ?? firstBuildSeconds) : 0,
    build_next_action: over ? '' : (provisioningAction(state, reason) ?? progress.nextAction),
  }
}
