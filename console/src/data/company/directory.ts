import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiAll, apiQuery, readAgain } from '../api/queries.ts'
import { hasRooms } from '../person/roles.ts'

/** Everybody of the company, disabled people too. */
export const people = apiAll(allRoutes.listUsers, { query: { lifecycle: 'all' } })

export const personOf = (id: string) => apiQuery(allRoutes.readUser, { params: { id } })

export const departments = apiAll(allRoutes.listDepartments, {})

export const departmentOf = (id: string) => apiQuery(allRoutes.readDepartment, { params: { id } })

/** Every room of the company. */
export const companyRooms = apiAll(allRoutes.listChatrooms, {})

export const companyRoomOf = (cid: string) => apiQuery(allRoutes.readChatroom, { params: { cid } })

export const membersOf = (cid: string) => apiAll(allRoutes.listMembers, { params: { cid } })

/** Whether the person may be in a room, and own a key. */
export const mayBeInRooms = ({ role, disabled_at }: User): boolean => hasRooms(role) && disabled_at === null

/** A person in a list from which one is chosen. */
export const personLabel = ({ display_name, login }: User): string =>
  plainText(display_name === login ? login : `${display_name} (${login})`)

const ofMembers = [
  allRoutes.listMembers,
  allRoutes.listOwnChatrooms,
  allRoutes.listRoomOverviews,
  allRoutes.readOwnAccount,
]

/** Has all that depends on who is in a room read again. */
export const readMembersAgain = (queries: QueryClient): Promise<void> => readAgain(queries, ofMembers)

/** Has all that shows people, departments and rooms read again. */
export const readDirectoryAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [
    ...ofMembers,
    allRoutes.listUsers,
    allRoutes.readUser,
    allRoutes.listDepartments,
    allRoutes.readDepartment,
    allRoutes.listChatrooms,
    allRoutes.readChatroom,
    allRoutes.listOwnDepartments,
  ])
