import { chatroomJobsRoutes } from '@sandbox-jobs/contract/routes/chatroom-jobs-routes.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { platformRoutes } from '@sandbox-jobs/contract/routes/platform-routes.ts'
import { createApiKey, listApiKeys, readApiKey, revokeApiKey } from '../../../access/keys/api-keys.ts'
import {
  type ChatroomJobsContext,
  countSandboxRooms,
  listSandboxRooms,
  updateChatroomJobs,
} from '../../../companies/chatrooms/chatroom-jobs.ts'
import {
  createChatroom,
  deleteChatroom,
  listChatrooms,
  listOwnChatrooms,
  readChatroom,
  updateChatroom,
} from '../../../companies/chatrooms/chatrooms.ts'
import { addFavorite, type FavoriteContext, removeFavorite } from '../../../companies/chatrooms/favorites.ts'
import { deleteMember, listMembers, putMember } from '../../../companies/chatrooms/members.ts'
import { listRoomPeople, type PeopleDeps, readNames } from '../../../companies/chatrooms/people.ts'
import {
  createSocialClient,
  deleteSocialClient,
  listSocialClients,
} from '../../../companies/chatrooms/social-clients.ts'
import { readCompany, readOwnCredential } from '../../../companies/companies.ts'
import {
  createDepartment,
  listDepartments,
  listOwnDepartments,
  readDepartment,
  updateDepartment,
} from '../../../companies/departments.ts'
import {
  createPasswordAddress,
  inviteUser,
  type PasswordAddressDeps,
} from '../../../companies/password-addresses.ts'
import { createUser, listUsers, readUser, updateUser } from '../../../companies/users.ts'
import { listRoomOverviews } from '../../../runs/read/room-overviews.ts'
import { search } from '../../../search/search.ts'
import type { Mount } from '../../mount.ts'

/** The directory of one company, for its administrators (contract part 3, D1). */
export function mountPlatformRoutes(mount: Mount, platform: PasswordAddressDeps & PeopleDeps): void {
  const routes = allRoutes
  mount(routes.listRoomOverviews, ({ principal, query }) => listRoomOverviews(platform, principal, query))
  mount(routes.listRoomPeople, ({ principal, params, query }) =>
    listRoomPeople(platform, principal, params.cid, query),
  )
  mount(routes.readNames, ({ principal, query }) => readNames(platform, principal, query))
  mount(routes.searchByName, ({ principal, query }) => search(platform, principal, query))
  mount(routes.readCompany, ({ principal }) => readCompany(platform, principal))

  mount(routes.listDepartments, ({ principal, query }) => listDepartments(platform, principal, query))
  mount(routes.listOwnDepartments, ({ principal, query }) => listOwnDepartments(platform, principal, query))
  mount(routes.createDepartment, ({ principal, body }) => createDepartment(platform, principal, body))
  mount(routes.readDepartment, ({ principal, params }) => readDepartment(platform, principal, params.id))
  mount(routes.updateDepartment, ({ principal, params, body }) =>
    updateDepartment(platform, principal, params.id, body),
  )

  mount(routes.readOwnCredential, ({ principal }) => readOwnCredential(platform, principal))
  mount(routes.listOwnChatrooms, ({ principal, query }) => listOwnChatrooms(platform, principal, query))
  mount(routes.listChatrooms, ({ principal, query }) => listChatrooms(platform, principal, query))
  mount(routes.createChatroom, ({ principal, body }) => createChatroom(platform, principal, body))
  mount(routes.readChatroom, ({ principal, params }) => readChatroom(platform, principal, params.cid))
  mount(routes.updateChatroom, ({ principal, params, body }) =>
    updateChatroom(platform, principal, params.cid, body),
  )
  mount(routes.deleteChatroom, ({ principal, params }) => deleteChatroom(platform, principal, params.cid))

  mount(routes.listMembers, ({ principal, params, query }) =>
    listMembers(platform, principal, params.cid, query),
  )
  mount(routes.putMember, ({ principal, params, body }) =>
    putMember(platform, principal, { chatroomId: params.cid, userId: params.uid }, body),
  )
  mount(routes.deleteMember, ({ principal, params }) =>
    deleteMember(platform, principal, { chatroomId: params.cid, userId: params.uid }),
  )
  mount(routes.listSocialMediaClients, ({ principal, params, query }) =>
    listSocialClients(platform, principal, params.cid, query),
  )
  mount(routes.createSocialMediaClient, ({ principal, params, body }) =>
    createSocialClient(platform, principal, params.cid, body),
  )
  mount(routes.deleteSocialMediaClient, ({ principal, params }) =>
    deleteSocialClient(platform, principal, { chatroomId: params.cid, id: params.client }),
  )
  mountPeopleRoutes(mount, platform)
}

function mountPeopleRoutes(mount: Mount, platform: PasswordAddressDeps): void {
  const routes = allRoutes
  mount(routes.listUsers, ({ principal, query }) => listUsers(platform, principal, query))
  mount(routes.createUser, ({ principal, body }) => createUser(platform, principal, body))
  mount(routes.readUser, ({ principal, params }) => readUser(platform, principal, params.id))
  mount(routes.updateUser, ({ principal, params, body }) => updateUser(platform, principal, params.id, body))
  mount(routes.inviteUser, ({ principal, body }) => inviteUser(platform, principal, body))
  mount(routes.createPasswordAddress, ({ principal, params }) =>
    createPasswordAddress(platform, principal, params.id),
  )

  mount(routes.listApiKeys, ({ principal, query }) => listApiKeys(platform, principal, query))
  mount(routes.createApiKey, ({ principal, body }) => createApiKey(platform, principal, body))
  mount(routes.readApiKey, ({ principal, params }) => readApiKey(platform, principal, params.id))
  mount(routes.revokeApiKey, ({ principal, params }) => revokeApiKey(platform, principal, params.id))
}

/** Which rooms load the agent's tools (contract part 2, "Chatroom job settings for the agent"), and which come first for whom. */
export function mountChatroomJobsRoutes(mount: Mount, context: ChatroomJobsContext & FavoriteContext): void {
  mount(chatroomJobsRoutes.updateChatroomJobs, ({ principal, params, body }) =>
    updateChatroomJobs(context, principal, params.cid, body),
  )
  mount(platformRoutes.addFavorite, ({ principal, params }) => addFavorite(context, principal, params.cid))
  mount(platformRoutes.removeFavorite, ({ principal, params }) =>
    removeFavorite(context, principal, params.cid),
  )
  mount(chatroomJobsRoutes.listChatroomsByJob, ({ principal, query }) =>
    listSandboxRooms(context, principal, query),
  )
  mount(chatroomJobsRoutes.countChatroomsByJob, ({ principal, query }) =>
    countSandboxRooms(context, principal, query),
  )
}
