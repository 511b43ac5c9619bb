import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { errorDetailMaxLength, guidanceMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal, Strict } from '../../schema.ts'
import { buildAttemptStates } from '../../states/build-attempt-states.ts'
import { terminalClasses } from '../../states/run-states.ts'
import { BuildProfile } from '../environments/profile.ts'
import { RegionCode } from '../environments/region.ts'

/** One build of one version (contract part 1, "Build attempt"). Unused texts are empty. */
export const BuildAttempt = Type.Object({
  id: Identifier,
  company_id: Identifier,
  environment_version_id: Identifier,
  attempt_number: Ordinal,
  status: OneOf(buildAttemptStates),
  phase: Type.String(),
  stage_code: Type.String(),
  error_code: Type.String(),
  /** Slugs of rules, joined with `;`; never free text. */
  error_detail: Type.String({ maxLength: errorDetailMaxLength }),
  /** Not empty once the attempt has ended. */
  terminal_class: OneOf(['', ...terminalClasses]),
  build_region: RegionCode,
  build_profile: BuildProfile,
  raw_upload_digest: Type.String(),
  canonical_digest: Type.String(),
  queued_at: Nullable(DateTime),
  /** Until when retry-build is accepted; null if it is not. */
  retryable_until: Nullable(DateTime),
  report_total_bytes: Count,
  stage_index: Count,
  stage_count: Count,
  stage_since: Nullable(DateTime),
  next_action: Type.String({ maxLength: guidanceMaxLength }),
})
export type BuildAttempt = Static<typeof BuildAttempt>

export const BuildAttemptList = listOf(BuildAttempt)
export type BuildAttemptList = Static<typeof BuildAttemptList>

/** The region defaults to the deployment's, the profile to `standard`. */
export const BuildAttemptCreateRequest = Strict({
  build_region: Type.Optional(RegionCode),
  build_profile: Type.Optional(BuildProfile),
})
export type BuildAttemptCreateRequest = Static<typeof BuildAttemptCreateRequest>
