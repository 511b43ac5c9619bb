import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
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

export const EnvironmentParams = Strict({ id: Identifier })
export const VersionParams = Strict({ id: Identifier, vid: Identifier })
export const BuildParams = Strict({ id: Identifier, vid: Identifier, aid: Identifier })

const tenant = { tag: 'Environments' } as const

/** Environments, their versions and builds (contract part 2, "Environments, versions, builds"). */
export const environmentRoutes = {
  listEnvironments: route({
    action: 'environment.list',
    ...tenant,
    method: 'GET',
    path: environments,
    summary: 'List environments, curated ones included',
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
    body: EnvironmentCreateRequest,
    response: Environment,
    errors: ['not_found', 'active_environment_limit'],
  }),
  readEnvironment: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: environment,
    summary: 'Read an environment',
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
    params: EnvironmentParams,
    body: EnvironmentVersionCreateRequest,
    response: EnvironmentVersion,
    errors: ['not_found', 'environment_archived', 'source_digest_mismatch', 'version_allocation_exhausted'],
  }),
  readEnvironmentVersion: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: version,
    summary: 'Read a version; poll it until ready',
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
    ],
  }),
  retryProvisioning: route({
    action: 'environment.build',
    ...tenant,
    method: 'POST',
    path: `${version}/retry-provisioning`,
    summary: 'Verify and distribute the image of a built version again',
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
      'build_admission_fenced',
    ],
  }),
  listBuilds: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: builds,
    summary: 'List the builds of a version',
    params: VersionParams,
    query: Type.Object({ ...pageFields(catalogPageSizeDefault), status: repeatable(buildAttemptStates) }),
    response: BuildAttemptList,
    errors: ['not_found'],
  }),
  readBuild: route({
    action: 'environment.read',
    ...tenant,
    method: 'GET',
    path: build,
    summary: 'Read a build; poll it until terminal_class is set',
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
    params: BuildParams,
    response: BuildAttempt,
    errors: ['not_found', 'not_cancellable'],
  }),
}
