import { Type } from 'typebox'
import { about } from '../about.ts'
import { BuildId, EnvironmentId, EnvironmentVersionId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery, pageFields, repeatable } from '../pagination.ts'
import {
  BuildAttempt,
  BuildAttemptCreateRequest,
  BuildAttemptList,
} from '../resources/builds/build-attempt.ts'
import {
  Environment,
  EnvironmentCreateRequest,
  EnvironmentList,
  EnvironmentUpdateRequest,
} from '../resources/environments/environment.ts'
import {
  EnvironmentVersion,
  EnvironmentVersionCreateRequest,
  EnvironmentVersionList,
} from '../resources/environments/environment-version.ts'
import { Strict } from '../schema.ts'
import { buildAttemptStates } from '../states/build-attempt-states.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const environments = `${sandboxPrefix}/environments` as const
const environment = `${environments}/{id}` as const
const versions = `${environment}/versions` as const
const version = `${versions}/{vid}` as const
const builds = `${version}/builds` as const
const build = `${builds}/{aid}` as const

export const EnvironmentParams = Strict({ id: EnvironmentId })
export const VersionParams = Strict({ id: EnvironmentId, vid: EnvironmentVersionId })
export const BuildParams = Strict({ id: EnvironmentId, vid: EnvironmentVersionId, aid: BuildId })

const tenant = { tag: 'Environments' } as const

/** Environments, their versions and builds (contract part 2, "Environments, versions, builds"). */
export const environmentRoutes = {
  listEnvironments: route({
    action: 'environment.list',
    ...tenant,
    method: 'GET',
    path: environments,
    summary: 'List environments, curated ones included',
    description: 'Those of the company, and the curated ones of the operator.',
    query: listQuery(catalogPageSizeDefault),
    response: EnvironmentList,
    errors: [],
  }),
  createEnvironment: route({
    action: 'environment.create',
    ...tenant,
    method: 'POST',
    path: environments,
    summary: 'Create an environment',
    description: 'An environment is a name for images; upload an archive and create a version next.',
    idempotent: 'optional',
    body: EnvironmentCreateRequest,
    response: Environment,
    errors: ['not_found', 'active_environment_limit', 'storage_quota_exceeded'],
  }),
  readEnvironment: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: environment,
    summary: 'Read an environment',
    description: 'Curated environments can be read by everybody in a company.',
    params: EnvironmentParams,
    response: Environment,
    errors: ['not_found'],
  }),
  updateEnvironment: route({
    action: 'environment.change',
    ...tenant,
    method: 'PATCH',
    path: environment,
    summary: 'Change name or description',
    description: 'Send only what changes, at least one field. The owner cannot change.',
    params: EnvironmentParams,
    body: EnvironmentUpdateRequest,
    response: Environment,
    errors: ['not_found', 'no_fields', 'environment_archived'],
  }),
  archiveEnvironment: route({
    action: 'environment.change',
    ...tenant,
    method: 'POST',
    path: `${environment}/archive`,
    summary: 'Archive an environment',
    description: 'Lists leave it out from then on, and it takes no new versions.',
    params: EnvironmentParams,
    response: Environment,
    errors: ['not_found', 'illegal_transition'],
  }),
  listEnvironmentVersions: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: versions,
    summary: 'List the versions of an environment',
    description: 'Versions that failed stay in the list until they are archived.',
    params: EnvironmentParams,
    query: listQuery(catalogPageSizeDefault),
    response: EnvironmentVersionList,
    errors: ['not_found'],
  }),
  createEnvironmentVersion: route({
    action: 'environment.change',
    ...tenant,
    method: 'POST',
    path: versions,
    summary: 'Create an immutable version from an uploaded archive',
    description:
      'The version is a `draft` until a build is queued with createBuild. It never changes; a correction is a new version.',
    params: EnvironmentParams,
    body: EnvironmentVersionCreateRequest,
    response: EnvironmentVersion,
    errors: [
      'not_found',
      'environment_archived',
      'source_digest_mismatch',
      'version_allocation_exhausted',
      'storage_quota_exceeded',
    ],
  }),
  readEnvironmentVersion: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: version,
    summary: 'Read a version; poll it until ready',
    description:
      '`build_next_action` says what to do when the build failed. To follow a build instead of polling, use followBuildEvents.',
    params: VersionParams,
    response: EnvironmentVersion,
    errors: ['not_found'],
  }),
  archiveEnvironmentVersion: route({
    action: 'environment.change',
    ...tenant,
    method: 'POST',
    path: `${version}/archive`,
    summary: 'Archive a version',
    description: 'Lists leave it out from then on. Cancel its build first, if one is running.',
    params: VersionParams,
    response: EnvironmentVersion,
    errors: ['not_found', 'illegal_transition'],
  }),
  retryBuild: route({
    action: 'environment.build',
    ...tenant,
    method: 'POST',
    path: `${version}/retry-build`,
    summary: 'Build a failed version again, within seven days',
    description:
      'For versions in the state `retryable_failed`, until `retryable_until` of the last build. A rejected archive needs a new version instead.',
    params: VersionParams,
    response: BuildAttempt,
    errors: [
      'not_found',
      'retry_not_eligible',
      'retry_window_expired',
      'nonterminal_exists',
      'environment_archived',
      'sandbox_queued_build_limit',
      'storage_quota_exceeded',
      'disk_space_low',
      'build_admission_fenced',
      'budget_reservation_exceeded',
      'invalid_envelope',
      'missing_window',
    ],
  }),
  retryProvisioning: route({
    action: 'environment.build',
    ...tenant,
    method: 'POST',
    path: `${version}/retry-provisioning`,
    summary: 'Verify and distribute the image of a built version again',
    description: 'For versions whose image was built, but is not ready in a region.',
    params: VersionParams,
    response: EnvironmentVersion,
    errors: ['not_found', 'provisioning_retry_not_eligible', 'environment_archived'],
  }),
  createBuild: route({
    action: 'environment.build',
    ...tenant,
    method: 'POST',
    path: builds,
    summary: 'Queue one build',
    description:
      'A version has at most one build at a time. The build runs the Dockerfile, scans the image, signs it and places it.',
    params: VersionParams,
    body: BuildAttemptCreateRequest,
    bodyOptional: true,
    response: BuildAttempt,
    errors: [
      'not_found',
      'build_not_eligible',
      'nonterminal_exists',
      'environment_archived',
      'build_region_unavailable',
      'sandbox_queued_build_limit',
      'storage_quota_exceeded',
      'build_admission_fenced',
      'budget_reservation_exceeded',
      'invalid_envelope',
      'missing_window',
    ],
  }),
  listBuilds: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: builds,
    summary: 'List the builds of a version',
    description: 'All attempts, also those that failed.',
    params: VersionParams,
    query: Type.Object({
      ...pageFields(catalogPageSizeDefault),
      status: about('Only builds in one of these states.', repeatable(buildAttemptStates)),
    }),
    response: BuildAttemptList,
    errors: ['not_found'],
  }),
  readBuild: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: build,
    summary: 'Read a build; poll it until terminal_class is set',
    description:
      '`next_action` says what to do when it failed. To follow it instead of polling, use followBuildEvents.',
    params: BuildParams,
    response: BuildAttempt,
    errors: ['not_found'],
  }),
  cancelBuild: route({
    action: 'environment.build',
    ...tenant,
    method: 'POST',
    path: `${build}/cancel`,
    summary: 'Cancel a build that has not ended',
    description:
      'The build ends as `cancelled` soon after, whatever else happens to it. Repeating the request changes nothing.',
    params: BuildParams,
    response: BuildAttempt,
    errors: ['not_found', 'not_cancellable'],
  }),
}
