import { Type } from 'typebox'
import { catalogPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { OwnChatroomList } from '../resources/chatroom.ts'
import { VersionIsolation, VersionIsolationRequest } from '../resources/version-isolation.ts'
import { BuildParams, VersionParams } from './environment-routes.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const isolation = `${extensionPrefix}/environments/{id}/versions/{vid}/isolation` as const

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
  readBuildLog: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${extensionPrefix}/environments/{id}/versions/{vid}/builds/{aid}/log`,
    summary: 'Log of the Dockerfile’s steps, for who manages the environment',
    params: BuildParams,
    errors: ['not_found'],
  }),
}
