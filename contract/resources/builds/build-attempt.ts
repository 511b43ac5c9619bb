import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import { BuildId, CompanyId, EnvironmentVersionId } from '../../identifiers.ts'
import { errorDetailMaxLength, guidanceMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal, Strict } from '../../schema.ts'
import { buildAttemptStates } from '../../states/build-attempt-states.ts'
import { terminalClasses } from '../../states/run-states.ts'
import { BuildProfile } from '../environments/profile.ts'
import { RegionCode } from '../environments/region.ts'

/** One build of one version (contract part 1, "Build attempt"). Unused texts are empty. */
export const BuildAttempt = Type.Object({
  id: BuildId,
  company_id: CompanyId,
  environment_version_id: EnvironmentVersionId,
  attempt_number: about('Number of the build among those of the version, from 1.', Ordinal, 1),
  status: about('Where the build is in its life.', OneOf(buildAttemptStates), 'completed'),
  phase: about('Phase of the build; empty if unused.', Type.String(), ''),
  stage_code: about('Stage of the build; empty if unused.', Type.String(), 'terminal'),
  error_code: about('Code of the failure, such as `context_invalid`; empty without one.', Type.String(), ''),
  error_detail: about(
    'Slugs of the rules that failed, joined with `;`; never free text.',
    Type.String({ maxLength: errorDetailMaxLength }),
    '',
  ),
  terminal_class: about(
    'How the build ended; empty until then.',
    OneOf(['', ...terminalClasses]),
    'completed',
  ),
  build_region: about('Region of the build.', RegionCode, 'onprem'),
  build_profile: about('Size of the build.', BuildProfile),
  raw_upload_digest: about(
    'Digest of the archive as uploaded; empty until it was read.',
    Type.String(),
    exampleDigest,
  ),
  canonical_digest: about(
    "Digest of the archive's content; empty until it was read.",
    Type.String(),
    exampleDigest,
  ),
  queued_at: about('When it was queued.', Nullable(DateTime)),
  retryable_until: about('Until when retry-build is accepted; null if it is not.', Nullable(DateTime), null),
  report_total_bytes: about('Bytes of the scan report; 0 if there is none.', Count, 18_204),
  stage_index: about('Number of the running stage, from 1; 0 while queued and at the end.', Count, 0),
  stage_count: about('Stages that the build has; 0 while queued and at the end.', Count, 0),
  stage_since: about(
    'Since when the stage runs, or the build waits in the queue; after the end, when the build ended.',
    Nullable(DateTime),
  ),
  next_action: about(
    'The next step, as a sentence; empty if nothing.',
    Type.String({ maxLength: guidanceMaxLength }),
    '',
  ),
})
export type BuildAttempt = Static<typeof BuildAttempt>

export const BuildAttemptList = listOf(BuildAttempt)
export type BuildAttemptList = Static<typeof BuildAttemptList>

/** The region defaults to the deployment's, the profile to `standard`. */
export const BuildAttemptCreateRequest = Strict({
  build_region: about(
    "Region of the build; by default the deployment's own.",
    Type.Optional(RegionCode),
    'onprem',
  ),
  build_profile: about('Size of the build; by default `standard`.', Type.Optional(BuildProfile)),
})
export type BuildAttemptCreateRequest = Static<typeof BuildAttemptCreateRequest>
