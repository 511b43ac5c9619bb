import { Type } from 'typebox'
import { about } from '../about.ts'
import { catalogPageSizeDefault, logMaxBytes } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { OwnCredential } from '../resources/access/own-credential.ts'
import { BuildDetails } from '../resources/builds/build-details.ts'
import { Envelope, ImageSignatureList, SigningKeyList } from '../resources/builds/provenance.ts'
import { OwnChatroomList } from '../resources/companies/chatroom.ts'
import { OwnDepartmentList } from '../resources/companies/department.ts'
import { StorageUse } from '../resources/companies/storage-use.ts'
import { Egress, EgressRequest } from '../resources/environments/egress.ts'
import { KeptVersionList } from '../resources/environments/kept-version.ts'
import { VersionBuildCache, VersionBuildCacheRequest } from '../resources/environments/version-build-cache.ts'
import { VersionIsolation, VersionIsolationRequest } from '../resources/environments/version-isolation.ts'
import { BuildLogEvent, RunLogEvent } from '../resources/runs/log-event.ts'
import { NetworkLog } from '../resources/runs/network-log.ts'
import { RunContent } from '../resources/runs/run-content.ts'
import { RunUsage } from '../resources/runs/run-usage.ts'
import { BuildParams, EnvironmentParams, VersionParams } from './environment-routes.ts'
import { extensionPrefix, publicExtensionPrefix } from './prefixes.ts'
import { eventStreamType, route } from './route.ts'
import { RunParams } from './run-routes.ts'
import { TaskParams } from './task-routes.ts'

const version = `${extensionPrefix}/environments/{id}/versions/{vid}` as const
const build = `${version}/builds/{aid}` as const
const isolation = `${version}/isolation` as const
const buildCache = `${version}/build-cache` as const

const run = `${extensionPrefix}/chatrooms/{cid}/runs/{rid}` as const
const LogPosition = about(
  'First byte, from 0.',
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  0,
)
const LogLength = about(
  'Number of bytes, at most 128 MiB.',
  Type.Integer({ minimum: 1, maximum: 2 * logMaxBytes }),
  65_536,
)

/** Routes that the contract does not define (contract part 3, D6). */
export const extensionRoutes = {
  readOwnCredential: route({
    action: 'credential.read',
    tag: 'Capabilities',
    method: 'GET',
    path: `${extensionPrefix}/credential`,
    summary: 'Read the API key that the request is sent with, and its company',
    description:
      'Tells a key about itself: name, scope, rooms, origins, expiry. `listOwnChatrooms` names its rooms. For a login `api_key` is null.',
    response: OwnCredential,
    errors: [],
  }),
  listOwnChatrooms: route({
    action: 'room.list',
    tag: 'Capabilities',
    method: 'GET',
    path: `${extensionPrefix}/chatrooms`,
    summary: 'List the live chatrooms that the caller is a member of or manages',
    description:
      'Rooms where the caller can run something, by name. A sandbox-scope key sees those of its rooms that its owner may still enter.',
    query: Type.Object(pageFields(catalogPageSizeDefault)),
    response: OwnChatroomList,
    errors: [],
  }),
  listOwnDepartments: route({
    action: 'department.list',
    tag: 'Capabilities',
    method: 'GET',
    path: `${extensionPrefix}/departments`,
    summary: 'List the departments that the caller manages, with their names',
    description: 'For managers of the company every department. A member manages none.',
    query: Type.Object(pageFields(catalogPageSizeDefault)),
    response: OwnDepartmentList,
    errors: [],
  }),
  readVersionIsolation: route({
    action: 'environment.change',
    tag: 'Environments',
    method: 'GET',
    path: isolation,
    summary: 'Read the isolation of runs of a version, for managers of the environment',
    description: '`effective` is what runs get.',
    params: VersionParams,
    response: VersionIsolation,
    errors: ['not_found'],
  }),
  changeVersionIsolation: route({
    action: 'environment.change',
    tag: 'Environments',
    method: 'PUT',
    path: isolation,
    summary: 'Set the isolation of runs of a version, from the next start on',
    description: 'A deployment without gVisor refuses `gvisor`. Runs that have started go on as they are.',
    params: VersionParams,
    body: VersionIsolationRequest,
    response: VersionIsolation,
    errors: ['not_found', 'isolation_unavailable'],
  }),
  readVersionBuildCache: route({
    action: 'environment.change',
    tag: 'Environments',
    method: 'GET',
    path: buildCache,
    summary: 'Read the build cache setting of a version, for managers of the environment',
    description: 'Whether an equal earlier build may be reused.',
    params: VersionParams,
    response: VersionBuildCache,
    errors: ['not_found'],
  }),
  changeVersionBuildCache: route({
    action: 'environment.change',
    tag: 'Environments',
    method: 'PUT',
    path: buildCache,
    summary: 'Set whether the next builds of a version may reuse an image with the same inputs',
    description: 'Use `none` if a build must fetch everything again.',
    params: VersionParams,
    body: VersionBuildCacheRequest,
    response: VersionBuildCache,
    errors: ['not_found'],
  }),
  readEnvironmentEgress: route({
    action: 'environment.change',
    tag: 'Environments',
    method: 'GET',
    path: `${extensionPrefix}/environments/{id}/egress`,
    summary: 'Read the egress allow list of an environment, for its managers',
    description: 'Null means that every public address is allowed.',
    params: EnvironmentParams,
    response: Egress,
    errors: ['not_found'],
  }),
  changeEnvironmentEgress: route({
    action: 'environment.change',
    tag: 'Environments',
    method: 'PUT',
    path: `${extensionPrefix}/environments/{id}/egress`,
    summary: 'Restrict runs of an environment to domains and address ranges, from the next start on',
    description: 'If the task has a list too, a run reaches only what both allow.',
    params: EnvironmentParams,
    body: EgressRequest,
    response: Egress,
    errors: ['not_found'],
  }),
  readTaskEgress: route({
    action: 'task.change',
    tag: 'Tasks',
    method: 'GET',
    path: `${extensionPrefix}/tasks/{id}/egress`,
    summary: 'Read the egress allow list of a task, for its managers',
    description: 'Null means that every public address is allowed.',
    params: TaskParams,
    response: Egress,
    errors: ['not_found'],
  }),
  changeTaskEgress: route({
    action: 'task.change',
    tag: 'Tasks',
    method: 'PUT',
    path: `${extensionPrefix}/tasks/{id}/egress`,
    summary: 'Restrict runs of a task to domains and address ranges, from the next start on',
    description: 'If the environment has a list too, a run reaches only what both allow.',
    params: TaskParams,
    body: EgressRequest,
    response: Egress,
    errors: ['not_found'],
  }),
  readRunLog: route({
    action: 'run.read_log',
    tag: 'Runs',
    method: 'GET',
    path: `${run}/log`,
    summary: 'Read the log of an ended run: all of it, a range, or its last bytes',
    description:
      'Plain text as the scripts printed it: escape it for display. Of more than 64 MiB, start and end are kept and the cut is marked. To read a running one, use followRunLog.',
    params: RunParams,
    query: Type.Object({
      start: about('First byte to send, from 0.', Type.Optional(LogPosition)),
      length: about('Number of bytes from `start` on; by default all.', Type.Optional(LogLength)),
      tail: about('Number of bytes at the end, instead of `start` and `length`.', Type.Optional(LogLength)),
    }),
    errors: ['not_found', 'downloads_busy'],
  }),
  followRunLog: route({
    action: 'run.read_log',
    tag: 'Runs',
    method: 'GET',
    path: `${run}/log/follow`,
    summary: 'Follow the log of a run as server-sent events, for at most 15 minutes a connection',
    description:
      'Starts with what is there, goes on as the job prints, and ends with an `end` event. Connect again with `Last-Event-ID` to continue. Comment lines keep the connection alive.',
    params: RunParams,
    query: Type.Object({
      start: about('Position to follow from; `Last-Event-ID` has priority.', Type.Optional(LogPosition)),
    }),
    mediaType: eventStreamType,
    events: RunLogEvent,
    errors: ['not_found'],
  }),
  readNetworkLog: route({
    action: 'run.read_network_log',
    tag: 'Runs',
    method: 'GET',
    path: `${run}/network-log`,
    summary: 'List the refused connections of an ended run with their reasons',
    description: 'Connections that the job was not allowed to make, and why.',
    params: RunParams,
    response: NetworkLog,
    errors: ['not_found'],
  }),
  deleteRunContent: route({
    action: 'run.delete_content',
    tag: 'Runs',
    method: 'DELETE',
    path: `${run}/content`,
    summary: 'Delete the results and the input of an ended run before their expiry, for managers of the room',
    description: 'Its row and its state stay; output, log, input and artifacts are gone for good.',
    params: RunParams,
    response: RunContent,
    errors: ['not_found', 'illegal_transition'],
  }),
  readStorageUse: route({
    action: 'storage.read',
    tag: 'Settings',
    method: 'GET',
    path: `${extensionPrefix}/storage`,
    summary: 'Read the disk usage and the storage quota of the company, for its managers',
    description:
      'Bytes that the company keeps, by kind. At the limit, new runs, uploads and records get 409 `storage_quota_exceeded`.',
    response: StorageUse,
    plainErrors: ['role_too_low'],
    errors: [],
  }),
  listKeptVersions: route({
    action: 'storage.read',
    tag: 'Settings',
    method: 'GET',
    path: `${extensionPrefix}/storage/environments`,
    summary:
      'List the versions of environments that keep the most on disk, and why, for managers of the company',
    description: 'Images and archives; readStorageUse has all kinds. Archive a version that nothing needs.',
    response: KeptVersionList,
    plainErrors: ['role_too_low'],
    errors: [],
  }),
  readRunUsage: route({
    action: 'run.read_log',
    tag: 'Runs',
    method: 'GET',
    path: `${run}/usage`,
    summary: 'Read the memory, processor time and traffic of a run',
    description: 'Resources that the job took, next to those that its profile allows.',
    params: RunParams,
    response: RunUsage,
    errors: ['not_found'],
  }),
  readBuildDetails: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${build}/details`,
    summary: 'Read the stages of a build and the failed instruction, for managers of the environment',
    description: 'Where the time went, and the line of the Dockerfile that failed.',
    params: BuildParams,
    response: BuildDetails,
    errors: ['not_found'],
  }),
  readBuildLog: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${build}/log`,
    summary: 'Read the log of the Dockerfile’s steps, for managers of the environment',
    description: 'Plain text as the steps printed it: escape it for display.',
    params: BuildParams,
    errors: ['not_found', 'downloads_busy'],
  }),
  followBuildLog: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${build}/log/follow`,
    summary:
      'Follow the log of a build as server-sent events, for at most 15 minutes a connection, for managers of the environment',
    description:
      'Starts with what is there, goes on as the steps print, and ends with an `end` event. Connect again with `Last-Event-ID` to continue.',
    params: BuildParams,
    query: Type.Object({
      start: about('Position to follow from; `Last-Event-ID` has priority.', Type.Optional(LogPosition)),
    }),
    mediaType: eventStreamType,
    events: BuildLogEvent,
    errors: ['not_found'],
  }),
  readProvenance: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${version}/provenance`,
    summary: 'Read the signed SLSA provenance of the image, for managers of the environment',
    description:
      'Sources, builder and method of the image, in a DSSE envelope. Verify it with a key of listSigningKeys.',
    params: VersionParams,
    response: Envelope,
    errors: ['not_found', 'image_untrusted'],
  }),
  listImageSignatures: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${version}/signatures`,
    summary: 'Read the signatures of the image’s digest, for managers of the environment',
    description: 'Signatures in the format of cosign. Verify them with a key of listSigningKeys.',
    params: VersionParams,
    response: ImageSignatureList,
    errors: ['not_found', 'image_untrusted'],
  }),
  downloadImage: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${version}/image`,
    summary:
      'Download the image with signature and provenance, as a tar of its OCI layout, for managers of the environment',
    description: 'Ready for `podman load` or `skopeo`.',
    params: VersionParams,
    errors: ['not_found', 'image_untrusted', 'downloads_busy'],
  }),
  listSigningKeys: route({
    action: 'deployment.read',
    tag: 'Public',
    method: 'GET',
    path: `${publicExtensionPrefix}/image_signing_keys`,
    summary: 'List the public keys that verify images',
    description: 'Older keys stay in the list, because they verify older images.',
    response: SigningKeyList,
    errors: [],
  }),
}
