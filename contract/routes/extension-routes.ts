import { Type } from 'typebox'
import { catalogPageSizeDefault, logMaxBytes } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { BuildDetails } from '../resources/build-details.ts'
import { OwnChatroomList } from '../resources/chatroom.ts'
import { Egress, EgressRequest } from '../resources/egress.ts'
import { NetworkLog } from '../resources/network-log.ts'
import { Envelope, ImageSignatureList, SigningKeyList } from '../resources/provenance.ts'
import { RunContent } from '../resources/run-content.ts'
import { RunUsage } from '../resources/run-usage.ts'
import { StorageUse } from '../resources/storage-use.ts'
import { VersionBuildCache, VersionBuildCacheRequest } from '../resources/version-build-cache.ts'
import { VersionIsolation, VersionIsolationRequest } from '../resources/version-isolation.ts'
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

/** Routes beyond the contract's own (contract part 3, D6). */
export const extensionRoutes = {
  listOwnChatrooms: route({
    tag: 'Capabilities',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${extensionPrefix}/chatrooms`,
    summary: 'List the live chatrooms that the caller is a member of or manages',
    query: Type.Object(pageFields(catalogPageSizeDefault)),
    response: OwnChatroomList,
    errors: [],
  }),
  readVersionIsolation: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: isolation,
    summary: 'What runs of a version have between them and the host, for who manages the environment',
    params: VersionParams,
    response: VersionIsolation,
    errors: ['not_found'],
  }),
  changeVersionIsolation: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'PUT',
    path: isolation,
    summary: 'Ask for more between runs of a version and the host, from the next start on',
    params: VersionParams,
    body: VersionIsolationRequest,
    response: VersionIsolation,
    errors: ['not_found', 'isolation_unavailable'],
  }),
  readVersionBuildCache: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: buildCache,
    summary: 'What builds of a version may take from earlier ones, for who manages the environment',
    params: VersionParams,
    response: VersionBuildCache,
    errors: ['not_found'],
  }),
  changeVersionBuildCache: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'PUT',
    path: buildCache,
    summary: 'Have the next builds of a version do everything again, or take an image of the same inputs',
    params: VersionParams,
    body: VersionBuildCacheRequest,
    response: VersionBuildCache,
    errors: ['not_found'],
  }),
  readEnvironmentEgress: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${extensionPrefix}/environments/{id}/egress`,
    summary: 'What runs of an environment may reach, for who manages it',
    params: EnvironmentParams,
    response: Egress,
    errors: ['not_found'],
  }),
  changeEnvironmentEgress: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'PUT',
    path: `${extensionPrefix}/environments/{id}/egress`,
    summary: 'Hold runs of an environment to domains and ranges of addresses, from the next start on',
    params: EnvironmentParams,
    body: EgressRequest,
    response: Egress,
    errors: ['not_found'],
  }),
  readTaskEgress: route({
    tag: 'Tasks',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${extensionPrefix}/tasks/{id}/egress`,
    summary: 'What runs of a task may reach, for who manages it',
    params: TaskParams,
    response: Egress,
    errors: ['not_found'],
  }),
  changeTaskEgress: route({
    tag: 'Tasks',
    access: 'tenant',
    restrictedKey: 403,
    method: 'PUT',
    path: `${extensionPrefix}/tasks/{id}/egress`,
    summary: 'Hold runs of a task to domains and ranges of addresses, from the next start on',
    params: TaskParams,
    body: EgressRequest,
    response: Egress,
    errors: ['not_found'],
  }),
  readRunLog: route({
    tag: 'Runs',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${run}/log`,
    summary: 'Log of a run that has ended: all of it, a range, or its last bytes',
    params: RunParams,
    query: Type.Object({
      start: Type.Optional(LogPosition),
      length: Type.Optional(LogLength),
      tail: Type.Optional(LogLength),
    }),
    errors: ['not_found'],
  }),
  followRunLog: route({
    tag: 'Runs',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${run}/log/follow`,
    summary: 'Log of a run while it is written, as server-sent events, for at most 15 minutes a connection',
    params: RunParams,
    query: Type.Object({ start: Type.Optional(LogPosition) }),
    errors: ['not_found'],
  }),
  readNetworkLog: route({
    tag: 'Runs',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${run}/network-log`,
    summary: 'Connections that were refused to a run that has ended, with the reason of each',
    params: RunParams,
    response: NetworkLog,
    errors: ['not_found'],
  }),
  deleteRunContent: route({
    tag: 'Runs',
    access: 'tenant',
    restrictedKey: 403,
    method: 'DELETE',
    path: `${run}/content`,
    summary:
      'Delete what a run that has ended left, and its input, before their time, for who manages the room',
    params: RunParams,
    response: RunContent,
    errors: ['not_found', 'illegal_transition'],
  }),
  readStorageUse: route({
    tag: 'Settings',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${extensionPrefix}/storage`,
    summary: 'What the company keeps on disk and may keep, for its managers',
    response: StorageUse,
    plainErrors: ['role_too_low'],
    errors: [],
  }),
  readRunUsage: route({
    tag: 'Runs',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${run}/usage`,
    summary: 'Memory, processor time and traffic of a run',
    params: RunParams,
    response: RunUsage,
    errors: ['not_found'],
  }),
  readBuildDetails: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${build}/details`,
    summary: 'How a build went: its stages, and the instruction that failed, for who manages the environment',
    params: BuildParams,
    response: BuildDetails,
    errors: ['not_found'],
  }),
  readBuildLog: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${build}/log`,
    summary: 'Log of the Dockerfile’s steps, for who manages the environment',
    params: BuildParams,
    errors: ['not_found'],
  }),
  followBuildLog: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${build}/log/follow`,
    summary:
      'Log of a build while it is written, as server-sent events, for at most 15 minutes a connection, for who manages the environment',
    params: BuildParams,
    query: Type.Object({ start: Type.Optional(LogPosition) }),
    errors: ['not_found'],
  }),
  readProvenance: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${version}/provenance`,
    summary: 'What the image was made of and how, as signed SLSA provenance, for who manages the environment',
    params: VersionParams,
    response: Envelope,
    errors: ['not_found', 'image_untrusted'],
  }),
  listImageSignatures: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${version}/signatures`,
    summary: 'Signatures over the image’s digest, for who manages the environment',
    params: VersionParams,
    response: ImageSignatureList,
    errors: ['not_found', 'image_untrusted'],
  }),
  downloadImage: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${version}/image`,
    summary:
      'The image with signature and provenance, as a tar of its OCI layout, for who manages the environment',
    params: VersionParams,
    errors: ['not_found', 'image_untrusted'],
  }),
  listSigningKeys: route({
    tag: 'Public',
    access: 'public',
    restrictedKey: 'allowed',
    method: 'GET',
    path: `${publicExtensionPrefix}/image_signing_keys`,
    summary: 'Public keys with which images are verified',
    response: SigningKeyList,
    errors: [],
  }),
}
