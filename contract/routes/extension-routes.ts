import { Type } from 'typebox'
import { catalogPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { OwnChatroomList } from '../resources/chatroom.ts'
import { BuildParams } from './environment-routes.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

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
