import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { CompanyId, EnvironmentId, EnvironmentVersionId, OwnedObjectId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
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
  id: EnvironmentVersionId,
  environment_id: EnvironmentId,
  company_id: about('Identifier of the company; null for a curated environment.', Nullable(CompanyId)),
  version_number: about('Number of the version in its environment, from 1.', Ordinal, 3),
  state: about(
    'Where the version is in its life; only `ready` can run.',
    OneOf(environmentVersionStates),
    'ready',
  ),
  security_state: about('`blocked`: the operator has blocked its image.', OneOf(securityStates), 'clear'),
  resource_profile: about('Processors, memory and disk of its runs.', ResourceProfile),
  capacity_retained: about("Counts toward the company's limit of retained versions.", Type.Boolean(), true),
  promoted_digest: about('Digest of the image that passed all checks; null until then.', Nullable(Digest)),
  composed_execution_digest: about(
    "Digest of the image with the platform's layer; null until then.",
    Nullable(Digest),
  ),
  runner_release: about(
    "Release of the platform's layer in the image; null until built.",
    Nullable(Type.String()),
    'runner-9f86d081',
  ),
  runner_abi_revision: about(
    'Revision of the interface between that layer and the service.',
    Nullable(Type.String()),
    '1',
  ),
  policy_revision: about(
    'Revision of the rules that the build was checked against.',
    Nullable(Type.String()),
    '1',
  ),
  runner_release_approved: about(
    'False: runs and publishing get 409 `task_bundle_runner_unsupported`.',
    Type.Boolean(),
    true,
  ),
  runner_release_next_action: about(
    'Advice if the release is not approved; empty if it is.',
    Type.String(),
    '',
  ),
  region_readiness: about(
    'Readiness by region code; null before the first build.',
    Nullable(Type.Record(Type.String(), OneOf(['ready', 'not_ready']))),
    { onprem: 'ready' },
  ),
  ready_at: about('When it became ready; null until then.', Nullable(DateTime)),
  verified_at: about('When its image passed all checks; null until then.', Nullable(DateTime)),
  compressed_bytes: about('Bytes of the compressed image; null until built.', Nullable(Count), 31_457_280),
  unpacked_bytes: about('Bytes of the unpacked image; null until built.', Nullable(Count), 124_780_544),
  last_build_attempt_id: about(
    'Identifier of the latest build; empty before the first.',
    Type.String(),
    exampleId('buildAttempt'),
  ),
  last_build_status: about('State of the latest build; empty before the first.', Type.String(), 'completed'),
  last_build_terminal_class: about(
    'How the latest build ended; empty until then.',
    Type.String(),
    'completed',
  ),
  last_build_stage_code: about(
    'Stage of the latest build; empty before the first.',
    Type.String(),
    'terminal',
  ),
  last_build_error_code: about('Code of the latest failure; empty without one.', Type.String(), ''),
  last_build_error_detail: about(
    'Slugs of the rules that failed, for owners; empty without a failure.',
    Type.String(),
    '',
  ),
  build_stage: about(
    'Stage of the latest build; empty before the first.',
    OneOf(['', ...buildStages]),
    'terminal',
  ),
  build_stage_index: about('Number of the running stage, from 1; 0 while queued and at the end.', Count, 0),
  build_stage_count: about('Stages that the build has; 0 while queued and at the end.', Count, 0),
  build_stage_since: about(
    'Since when the stage runs, or the build waits in the queue; after the end, when the build ended; null before the first build.',
    Nullable(DateTime),
  ),
  build_expected_seconds: about(
    'Seconds that a whole build usually takes; 0 when none is running.',
    Count,
    0,
  ),
  build_next_action: about(
    'The next step, as a sentence; empty once ready.',
    Type.String({ maxLength: guidanceMaxLength }),
    '',
  ),
  source_digest: about(
    'Digest of the archive; null unless the caller manages the environment.',
    Nullable(Digest),
  ),
  source_ref: about(
    "The owner's label of the archive; null unless the caller manages the environment.",
    Nullable(Type.String()),
    'report.tar.gz',
  ),
})
export type EnvironmentVersion = Static<typeof EnvironmentVersion>

export const EnvironmentVersionList = listOf(EnvironmentVersion)
export type EnvironmentVersionList = Static<typeof EnvironmentVersionList>

/**
 * At least one of `owned_object_id` and `source_digest` is required, which the server checks. A digest alone
 * makes a version without an archive, whose build then fails with `context_invalid`.
 */
export const EnvironmentVersionCreateRequest = Strict({
  owned_object_id: about(
    'Archive from completeContextUpload. This or `source_digest` is required.',
    Omissible(OwnedObjectId),
  ),
  source_digest: about(
    'Digest of the archive. Alone it makes a version without one, whose build fails with `context_invalid`.',
    Omissible(Digest),
  ),
  source_ref: about(
    'Your label of the archive, such as its file name; it is not a path or an address.',
    Type.Optional(PlainText({ maxLength: sourceRefMaxLength })),
    'report.tar.gz',
  ),
  resource_profile: about('Processors, memory and disk of its runs.', SelectableProfile),
})
export type EnvironmentVersionCreateRequest = Static<typeof EnvironmentVersionCreateRequest>
