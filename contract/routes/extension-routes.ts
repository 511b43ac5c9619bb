import { Type } from 'typebox'
import { catalogPageSizeDefault, logMaxBytes } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { BuildDetails } from '../resources/builds/build-details.ts'
import { Envelope, ImageSignatureList, SigningKeyList } from '../resources/builds/provenance.ts'
import { OwnChatroomList } from '../resources/companies/chatroom.ts'
import { StorageUse } from '../resources/companies/storage-use.ts'
import { Egress, EgressRequest } from '../resources/environments/egress.ts'
import { VersionBuildCache, VersionBuildCacheRequest } from '../resources/environments/version-build-cache.ts'
import { VersionIsolation, VersionIsolationRequest } from '../resources/environments/version-isolation.ts'
import { NetworkLog } from '../resources/runs/network-log.ts'
import { RunContent } from '../resources/runs/run-content.ts'
import { RunUsage } from '../resources/runs/run-usage.ts'
import { BuildParams, EnvironmentParams, VersionParams } from './environment-routes.ts'
import { extensionPrefix, publicExtensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { RunParams } from './run-routes.ts'
import { TaskParams } from './task-routes.ts'

const version = `${extensionPrefix}/environments/{id}/versions/{vid}` as const
const build = `${version}/builds/{aid}` as const
const isolation = `${version}/isolation` as const
const buildCache = `${version}/build-cache` as const

const run = `${extensionPrefix}/chatrooms/{cid}/runs/{rid}` as const
const LogPosition = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const LogLength = Type.Integer({ minimum: 1, maximum: 2 * logMaxBytes })

/** Routes that the contract does not define (contract part 3, D6). */
export const extensionRoutes = {
  listOwnChatrooms: route({
    action: 'room.list',
    tag: 'Capabilities',
    method: 'GET',
    path: `${extensionPrefix}/chatrooms`,
    summary: 'List the live chatrooms that the caller is a member of or manages',
    query: Type.Object(pageFields(catalogPageSizeDefault)),
    response: OwnChatroomList,
    errors: [],
  }),
  readVersionIsolation: route({
    action: 'environment.change',
    tag: 'Environments',
    method: 'GET',
    path: isolation,
    summary: 'Read the isolation of runs of a version, for managers of the environment',
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
    params: RunParams,
    query: Type.Object({
      start: Type.Optional(LogPosition),
      length: Type.Optional(LogLength),
      tail: Type.Optional(LogLength),
    }),
    errors: ['not_found'],
  }),
  followRunLog: route({
    action: 'run.read_log',
    tag: 'Runs',
    method: 'GET',
    path: `${run}/log/follow`,
    summary: 'Follow the log of a run as server-sent events, for at most 15 minutes a connection',
    params: RunParams,
    query: Type.Object({ start: Type.Optional(LogPosition) }),
    mediaType: 'text/event-stream',
    errors: ['not_found'],
  }),
  readNetworkLog: route({
    action: 'run.read_network_log',
    tag: 'Runs',
    method: 'GET',
    path: `${run}/network-log`,
    summary: 'List the refused connections of an ended run with their reasons',
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
    response: StorageUse,
    plainErrors: ['role_too_low'],
    errors: [],
  }),
  readRunUsage: route({
    action: 'run.read_log',
    tag: 'Runs',
    method: 'GET',
    path: `${run}/usage`,
    summary: 'Read the memory, processor time and traffic of a run',
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
    params: BuildParams,
    errors: ['not_found'],
  }),
  followBuildLog: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${build}/log/follow`,
    summary:
      'Follow the log of a build as server-sent events, for at most 15 minutes a connection, for managers of the environment',
    params: BuildParams,
    query: Type.Object({ start: Type.Optional(LogPosition) }),
    mediaType: 'text/event-stream',
    errors: ['not_found'],
  }),
  readProvenance: route({
    action: 'environment.inspect',
    tag: 'Environments',
    method: 'GET',
    path: `${version}/provenance`,
    summary: 'Read the signed SLSA provenance of the image, for managers of the environment',
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
    params: VersionParams,
    errors: ['not_found', 'image_untrusted'],
  }),
  listSigningKeys: route({
    action: 'deployment.read',
    tag: 'Public',
    method: 'GET',
    path: `${publicExtensionPrefix}/image_signing_keys`,
    summary: 'List the public keys that verify images',
    response: SigningKeyList,
    errors: [],
  }),
}
