import { isDeepStrictEqual } from 'node:util'
import type { UserChange } from '../user-store.ts'
import type {
  CompanyFile,
  DeclaredApiKey,
  DeclaredCompany,
  DeclaredMember,
  DeclaredUser,
} from './company-file.ts'
import { type ClientChange, planClients } from './plan-clients.ts'
import { type CompanySnapshot, emptyCompany, roomKey, type Snapshot, type UserSnapshot } from './snapshot.ts'

/** One step from the current to the declared state. Entries are identified by name, because some do not exist yet. */
export type Change = { company: string } & (
  | { kind: 'create_company' }
  | { kind: 'create_department'; department: string }
  | { kind: 'create_room'; department: string; room: string }
  | { kind: 'create_user'; user: DeclaredUser }
  | { kind: 'update_user'; login: string; before: UserSnapshot; set: UserSettings }
  | { kind: 'put_member'; room: string; login: string; roomManager: boolean; isNew: boolean }
  | { kind: 'remove_member'; room: string; login: string }
  | ClientChange
  | { kind: 'create_api_key'; key: DeclaredApiKey }
  | { kind: 'update_api_key'; key: DeclaredApiKey }
)

/** Only changed fields are set. */
export interface UserSettings extends Pick<UserChange, 'displayName' | 'email' | 'role'> {
  disabled?: boolean
  manages?: string[]
}

type Before = Omit<CompanySnapshot, 'id'>

/**
 * The changes that bring the directory to the declared state, in an executable order. Entries that the file omits are
 * kept: departments, rooms and keys always, users and members if their whole section is omitted. Nothing is deleted.
 * A user who is not in a given list is disabled; a member or client who is not in a given list is removed from the room.
 */
export const planChanges = (file: CompanyFile, snapshot: Snapshot): Change[] =>
  file.companies.flatMap((company) => {
    const found = snapshot.companies.get(company.name)
    const before = found ?? emptyCompany()
    const created: Change[] = found ? [] : [{ kind: 'create_company', company: company.name }]
    return [
      ...created,
      ...planDepartments(company, before),
      ...planUsers(company, before),
      ...planMembers(company, before),
      ...planClients(company, before),
      ...planApiKeys(company, before),
    ]
  })

function planDepartments({ name: company, departments }: DeclaredCompany, before: Before): Change[] {
  return departments.flatMap(({ name: department, rooms }) => {
    const newRooms = rooms.filter((room) => !before.rooms.has(roomKey(department, room.name)))
    return [
      ...(before.departments.has(department)
        ? []
        : [{ kind: 'create_department', company, department } as const]),
      ...newRooms.map((room) => ({ kind: 'create_room', company, department, room: room.name }) as const),
    ]
  })
}

function planUsers({ name: company, users }: DeclaredCompany, before: Before): Change[] {
  if (!users) return []
  const listed = new Set(users.map((user) => user.login))
  const declared = users.flatMap((user): Change[] => {
    const found = before.users.get(user.login)
    if (!found) return [{ kind: 'create_user', company, user }]
    const set = settingsThatDiffer(user, found)
    return Object.keys(set).length === 0
      ? []
      : [{ kind: 'update_user', company, login: user.login, before: found, set }]
  })
  const left = [...before.users].flatMap(([login, found]): Change[] =>
    listed.has(login) || found.disabled
      ? []
      : [{ kind: 'update_user', company, login, before: found, set: { disabled: true } }],
  )
  return [...declared, ...left]
}

function settingsThatDiffer(user: DeclaredUser, found: UserSnapshot): UserSettings {
  const set: UserSettings = {}
  if (user.displayName !== undefined && user.displayName !== found.displayName) {
    set.displayName = user.displayName
  }
  if (user.email !== undefined && user.email !== found.email) set.email = user.email
  if (user.role !== found.role) set.role = user.role
  if (user.disabled !== found.disabled) set.disabled = user.disabled
  if (!isDeepStrictEqual(new Set(user.manages), new Set(found.manages))) set.manages = user.manages
  return set
}

function planMembers({ name: company, departments }: DeclaredCompany, before: Before): Change[] {
  return departments.flatMap((department) =>
    department.rooms.flatMap(({ name, members }) => {
      if (!members) return []
      const room = roomKey(department.name, name)
      return planRoom({ company, room, members }, before.rooms.get(room)?.members ?? new Map())
    }),
  )
}

function planRoom(
  { company, room, members }: { company: string; room: string; members: DeclaredMember[] },
  before: Map<string, boolean>,
): Change[] {
  const listed = new Set(members.map((member) => member.login))
  const put = members.flatMap(({ login, roomManager }): Change[] =>
    before.get(login) === roomManager
      ? []
      : [{ kind: 'put_member', company, room, login, roomManager, isNew: !before.has(login) }],
  )
  const removed = [...before.keys()].filter((login) => !listed.has(login))
  return [...put, ...removed.map((login): Change => ({ kind: 'remove_member', company, room, login }))]
}

function planApiKeys({ name: company, apiKeys }: DeclaredCompany, before: Before): Change[] {
  return apiKeys.flatMap((key): Change[] => {
    const found = before.apiKeys.get(key.name)
    if (!found) return [{ kind: 'create_api_key', company, key }]
    const same =
      isDeepStrictEqual(new Set(found.rooms), new Set(key.rooms)) &&
      isDeepStrictEqual(new Set(found.domains), new Set(key.domains)) &&
      found.expires_at?.getTime() === key.expiresAt?.getTime()
    return same ? [] : [{ kind: 'update_api_key', company, key }]
  })
}
