import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { ArchiveFormat } from '../../../reader/formats/archive.ts'
import type { Database } from '../../db/database.ts'
import type { AttemptRow } from '../attempts/claims/claimed-attempt-store.ts'
import type { BuildRequest } from './build-request.ts'

export interface RequestState {
  request: BuildRequest
  /** Current states of attempt and version. */
  attemptState: BuildAttemptState
  versionState: EnvironmentVersionState
}

/** Reads the request of a claimed attempt. */
export async function readBuildRequest(db: Database, attempt: AttemptRow): Promise<RequestState> {
  const row = await db
    .selectFrom('build_attempts as a')
    .innerJoin('environment_versions as v', 'v.id', 'a.environment_version_id')
    .leftJoin('owned_objects as o', (join) =>
      join.onRef('o.id', '=', 'v.owned_object_id').on('o.deletion_state', '=', 'active'),
    )
    .where('a.id', '=', attempt.id)
    .where('a.company_id', '=', attempt.company_id)
    .select([
      'v.environment_id',
      'v.state as version_state',
      'a.started_at',
      'a.state as attempt_state',
      'v.resource_profile',
      'v.isolation',
      'v.build_cache',
      'o.storage_key',
      'o.archive_format',
      'o.byte_size',
      'o.digest',
      'o.created_at as uploaded_at',
    ])
    .executeTakeFirstOrThrow()
  const {
    storage_key: key,
    archive_format: format,
    byte_size: byteSize,
    digest,
    uploaded_at: uploadedAt,
  } = row
  const isBound =
    key !== null && format !== null && byteSize !== null && digest !== null && uploadedAt !== null
  return {
    attemptState: row.attempt_state as BuildAttemptState,
    versionState: row.version_state as EnvironmentVersionState,
    request: {
      attemptId: attempt.id,
      startedAt: row.started_at ?? attempt.queued_at,
      companyId: attempt.company_id,
      versionId: attempt.environment_version_id,
      environmentId: row.environment_id,
      buildRegion: attempt.build_region,
      buildProfile: attempt.build_profile as BuildProfile,
      resourceProfile: row.resource_profile,
      isolation: row.isolation,
      cache: row.build_cache,
      context: isBound ? { key, format: format as ArchiveFormat, byteSize, digest, uploadedAt } : undefined,
    },
  }
}
