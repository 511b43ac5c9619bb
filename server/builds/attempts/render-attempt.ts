import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RegionCode } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { progressOf, terminalClassOf } from '../../environments/versions/build-progress.ts'
import type { AttemptView } from './attempt-record-store.ts'

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
