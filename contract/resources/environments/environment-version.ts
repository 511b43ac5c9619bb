import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { Identifier } from '../../ids.ts'
import { guidanceMaxLength, sourceRefMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, Omissible, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { securityStates } from '../../states/catalog-states.ts'
import { environmentVersionStates } from '../../states/environment-version-states.ts'
import { buildStages } from '../builds/build-stage.ts'
import { ResourceProfile, SelectableProfile } from './profile.ts'

/** `retryable_failed` and `rejected` are not included: they stay visible in lists. */
export const retiredVersionStates = ['archived'] as const

/** An immutable version of an environment (contract part 1, "Environment version"). Poll it until `ready`. */
export const EnvironmentVersion = Type.Object({
  id: Identifier,
  environment_id: Identifier,
  company_id: Nullable(Identifier),
  version_number: Ordinal,
  state: OneOf(environmentVersionStates),
  security_state: OneOf(securityStates),
  resource_profile: ResourceProfile,
  /** Counts toward the company's limit of retained versions. */
  capacity_retained: Type.Boolean(),
  promoted_digest: Nullable(Digest),
  composed_execution_digest: Nullable(Digest),
  runner_release: Nullable(Type.String()),
  runner_abi_revision: Nullable(Type.String()),
  policy_revision: Nullable(Type.String()),
  runner_release_approved: Type.Boolean(),
  runner_release_next_action: Type.String(),
  region_readiness: Nullable(Type.Record(Type.String(), OneOf(['ready', 'not_ready']))),
  ready_at: Nullable(DateTime),
  verified_at: Nullable(DateTime),
  compressed_bytes: Nullable(Count),
  unpacked_bytes: Nullable(Count),
  /** These six describe the latest attempt and are empty before the first one; the detail is for owners only. */
  last_build_attempt_id: Type.String(),
  last_build_status: Type.String(),
  last_build_terminal_class: Type.String(),
  last_build_stage_code: Type.String(),
  last_build_error_code: Type.String(),
  last_build_error_detail: Type.String(),
  /** Empty before the first build. */
  build_stage: OneOf(['', ...buildStages]),
  build_stage_index: Count,
  build_stage_count: Count,
  build_stage_since: Nullable(DateTime),
  /** Typical seconds of a whole build; 0 when none is running. */
  build_expected_seconds: Count,
  build_next_action: Type.String({ maxLength: guidanceMaxLength }),
  /** For owners; null for other callers. */
  source_digest: Nullable(Digest),
  source_ref: Nullable(Type.String()),
})
export type EnvironmentVersion = Static<typeof EnvironmentVersion>

export const EnvironmentVersionList = listOf(EnvironmentVersion)
export type EnvironmentVersionList = Static<typeof EnvironmentVersionList>

/**
 * At least one of `owned_object_id` and `source_digest` is required, which the server checks. A digest alone
 * makes a version without an archive, whose build then fails with `context_invalid`.
 */
export const EnvironmentVersionCreateRequest = Strict({
  owned_object_id: Omissible(Identifier),
  source_digest: Omissible(Digest),
  /** The owner's label for the source, such as a file name. */
  source_ref: Type.Optional(PlainText({ maxLength: sourceRefMaxLength })),
  resource_profile: SelectableProfile,
})
export type EnvironmentVersionCreateRequest = Static<typeof EnvironmentVersionCreateRequest>
