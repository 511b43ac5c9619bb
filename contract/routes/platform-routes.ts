import { ChatroomId, DepartmentId, UserId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import {
  Chatroom,
  ChatroomCreateRequest,
  ChatroomList,
  ChatroomUpdateRequest,
} from '../resources/companies/chatroom.ts'
import { Company } from '../resources/companies/company.ts'
import {
  Department,
  DepartmentCreateRequest,
  DepartmentList,
  DepartmentUpdateRequest,
} from '../resources/companies/department.ts'
import { FavoriteChatroom } from '../resources/companies/favorite-chatroom.ts'
import { Membership, MembershipList, MembershipPutRequest } from '../resources/companies/membership.ts'
import { Strict } from '../schema.ts'
import { platformPrefix } from './prefixes.ts'
import { route } from './route.ts'

const departments = `${platformPrefix}/departments` as const
const department = `${departments}/{id}` as const
const chatrooms = `${platformPrefix}/chatrooms` as const
const chatroom = `${chatrooms}/{cid}` as const
const members = `${chatroom}/members` as const
const member = `${members}/{uid}` as const

const DepartmentParams = Strict({ id: DepartmentId })
const ChatroomParams = Strict({ cid: ChatroomId })
const MemberParams = Strict({ cid: ChatroomId, uid: UserId })

const administrator = { action: 'directory.manage', tag: 'Platform' } as const
const list = { ...administrator, method: 'GET', query: listQuery(catalogPageSizeDefault) } as const
const read = { ...administrator, method: 'GET' } as const
const create = { ...administrator, method: 'POST' } as const
const update = { ...administrator, method: 'PATCH' } as const
const remove = { ...administrator, method: 'DELETE' } as const

/** The directory of one company, for its administrators (contract part 3, D1). */
export const platformRoutes = {
  readCompany: route({
    ...read,
    path: `${platformPrefix}/company`,
    summary: 'Read the company of the caller',
    description: 'The tenant that the caller belongs to.',
    response: Company,
    errors: ['insufficient_permissions'],
  }),
  listDepartments: route({
    ...list,
    path: departments,
    summary: 'List departments',
    description: 'Departments own tasks and environments, and have rooms.',
    response: DepartmentList,
    errors: ['insufficient_permissions'],
  }),
  createDepartment: route({
    ...create,
    path: departments,
    summary: 'Create a department',
    description: 'Departments own tasks and environments, and have rooms.',
    body: DepartmentCreateRequest,
    response: Department,
    errors: ['insufficient_permissions', 'already_exists', 'storage_quota_exceeded'],
  }),
  readDepartment: route({
    ...read,
    path: department,
    summary: 'Read a department',
    description: 'One department of the company.',
    params: DepartmentParams,
    response: Department,
    errors: ['insufficient_permissions', 'not_found'],
  }),
  updateDepartment: route({
    ...update,
    path: department,
    summary: 'Rename a department',
    description: 'Its identifier stays.',
    params: DepartmentParams,
    body: DepartmentUpdateRequest,
    response: Department,
    errors: ['insufficient_permissions', 'not_found', 'no_fields', 'already_exists'],
  }),
  listChatrooms: route({
    ...list,
    path: chatrooms,
    summary: 'List chatrooms',
    description: 'Every room of the company. For rooms of the caller, use listOwnChatrooms.',
    response: ChatroomList,
    errors: ['insufficient_permissions'],
  }),
  createChatroom: route({
    ...create,
    path: chatrooms,
    summary: 'Create a chatroom in a department',
    description: 'It has no members at first; add them with putMember.',
    body: ChatroomCreateRequest,
    response: Chatroom,
    errors: ['insufficient_permissions', 'not_found', 'already_exists', 'storage_quota_exceeded'],
  }),
  readChatroom: route({
    ...read,
    path: chatroom,
    summary: 'Read a chatroom',
    description: 'One room of the company.',
    params: ChatroomParams,
    response: Chatroom,
    errors: ['insufficient_permissions', 'not_found'],
  }),
  updateChatroom: route({
    ...update,
    path: chatroom,
    summary: 'Rename a chatroom or move it to another department',
    description:
      'Send only what changes, at least one field. A move raises `authority_generation`: shares and bindings from before no longer count.',
    params: ChatroomParams,
    body: ChatroomUpdateRequest,
    response: Chatroom,
    errors: ['insufficient_permissions', 'not_found', 'no_fields', 'already_exists'],
  }),
  deleteChatroom: route({
    ...remove,
    path: chatroom,
    summary: 'Delete a chatroom; its runs are kept',
    description: 'Its runs and their results stay until they expire. Queued runs do not start.',
    params: ChatroomParams,
    response: Chatroom,
    errors: ['insufficient_permissions', 'not_found'],
  }),
  addFavorite: route({
    action: 'room.favorite',
    tag: 'Platform',
    method: 'PUT',
    path: `${chatroom}/favorite`,
    summary: 'Mark a chatroom as a favourite of the caller',
    description: 'It comes first in lists of rooms by job. A repeat changes nothing.',
    params: ChatroomParams,
    response: FavoriteChatroom,
    errors: ['not_found', 'storage_quota_exceeded'],
  }),
  removeFavorite: route({
    action: 'room.favorite',
    tag: 'Platform',
    method: 'DELETE',
    path: `${chatroom}/favorite`,
    summary: 'Mark a chatroom as no favourite of the caller',
    description: 'A repeat changes nothing.',
    params: ChatroomParams,
    response: FavoriteChatroom,
    errors: ['not_found'],
  }),
  listMembers: route({
    ...list,
    path: members,
    summary: 'List the members of a chatroom',
    description: 'Users who may run jobs in the room.',
    params: ChatroomParams,
    response: MembershipList,
    errors: ['insufficient_permissions', 'not_found'],
  }),
  putMember: route({
    ...administrator,
    method: 'PUT',
    path: member,
    summary: 'Add a user to a chatroom, or change the membership',
    description: 'A repeat changes nothing. Without a body, the user becomes an ordinary member.',
    params: MemberParams,
    body: MembershipPutRequest,
    bodyOptional: true,
    response: Membership,
    errors: ['insufficient_permissions', 'not_found', 'storage_quota_exceeded'],
  }),
  deleteMember: route({
    ...remove,
    path: member,
    summary: 'Remove a user from a chatroom',
    description: 'Queued runs of the user in the room do not start.',
    params: MemberParams,
    response: Membership,
    errors: ['insufficient_permissions', 'not_found'],
  }),
}
