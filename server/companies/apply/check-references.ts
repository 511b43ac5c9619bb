import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { FilePath, FileProblem } from '../../base/yaml-file.ts'
import type { CompanyFile, DeclaredApiKey, DeclaredCompany, DeclaredRoom } from './company-file.ts'
import { checkClients } from './plan-clients.ts'
import { type CompanySnapshot, emptyCompany, roomKey, type Snapshot } from './snapshot.ts'

/** A user of the company after the file is applied. */
interface Person {
  role: number
  disabled: boolean
  manages: string[]
}

/**
 * How names resolve after the file is applied: declared entries, and existing entries that the file does not change.
 */
interface Outlook {
  company: DeclaredCompany
  before: Omit<CompanySnapshot, 'id'> & { id?: string }
  departments: Set<string>
  /** Logins of the members of each room. */
  rooms: Map<string, Set<string>>
  people: Map<string, Person>
}

/** Reports each name that is duplicate, unknown, or not allowed where the file uses it. */
export function checkReferences(file: CompanyFile, snapshot: Snapshot): FileProblem[] {
  const logins = file.companies.flatMap((company) => company.users ?? [])
  return [
    ...repeated(file.companies, (company) => company.name),
    ...repeated(logins, (user) => user.login, 'login'),
    ...file.companies.flatMap((company) => checkCompany(company, snapshot)),
  ]
}

function checkCompany(company: DeclaredCompany, snapshot: Snapshot): FileProblem[] {
  const outlook = outlookOf(company, snapshot)
  const rooms = company.departments.flatMap((department) => department.rooms)
  return [
    ...repeated(company.departments, (department) => department.name),
    ...company.departments.flatMap((department) => repeated(department.rooms, (room) => room.name)),
    ...repeated(company.apiKeys, (key) => key.name),
    ...checkUsers(outlook, snapshot),
    ...rooms.flatMap((room) => checkMembers(room, outlook)),
    ...checkClients(company, outlook.before),
    ...company.apiKeys.flatMap((key) => checkApiKey(key, outlook)),
  ]
}

function outlookOf(company: DeclaredCompany, snapshot: Snapshot): Outlook {
  const before = snapshot.companies.get(company.name) ?? emptyCompany()
  const rooms = new Map<string, Set<string>>()
  for (const [key, room] of before.rooms) rooms.set(key, new Set(room.members.keys()))
  for (const department of company.departments) {
    for (const room of department.rooms) {
      const key = roomKey(department.name, room.name)
      const members = room.members?.map((member) => member.login) ?? rooms.get(key) ?? []
      rooms.set(key, new Set(members))
    }
  }
  return {
    company,
    before,
    departments: new Set([...before.departments.keys(), ...company.departments.map((each) => each.name)]),
    rooms,
    people: company.users ? new Map(company.users.map((user) => [user.login, user])) : before.users,
  }
}

function checkUsers(outlook: Outlook, snapshot: Snapshot): FileProblem[] {
  const { company, before, departments, people } = outlook
  const problems: FileProblem[] = []
  for (const user of company.users ?? []) {
    const taken = snapshot.loginCompanies.get(user.login)
    if (taken !== undefined && taken !== before.id) {
      problems.push(problem([...user.path, 'login'], 'is taken by a user of another company'))
    }
    user.manages.forEach((name, index) => {
      const path = [...user.path, 'manages', index]
      if (!departments.has(name)) problems.push(problem(path, `no department is named ${quoted(name)}`))
      if (user.manages.indexOf(name) !== index) problems.push(problem(path, 'is named twice'))
    })
  }
  const administrators = [...people.values()].filter(
    (person) => person.role === roles.company_administrator && !person.disabled,
  )
  if (administrators.length === 0) {
    const message = 'the company keeps at least one user with the role company_administrator'
    problems.push(problem([...company.path, 'users'], message))
  }
  return problems
}

function checkMembers(room: DeclaredRoom, { people }: Outlook): FileProblem[] {
  const members = room.members ?? []
  const unknown = members.filter((member) => !people.has(member.login))
  return [
    ...unknown.map((member) => problem(member.path, noUser(member.login))),
    ...repeatedAt(
      members,
      (member) => member.login,
      (member) => member.path,
    ),
  ]
}

function checkApiKey(key: DeclaredApiKey, outlook: Outlook): FileProblem[] {
  const problems: FileProblem[] = []
  const owner = outlook.people.get(key.owner)
  if (!owner) problems.push(problem([...key.path, 'owner'], noUser(key.owner)))
  else if (owner.disabled) problems.push(problem([...key.path, 'owner'], 'is disabled'))
  key.rooms.forEach((name, index) => {
    const path = [...key.path, 'rooms', index]
    const members = outlook.rooms.get(name)
    if (!members) problems.push(problem(path, `no room is named ${quoted(name)}`))
    else if (key.rooms.indexOf(name) !== index) problems.push(problem(path, 'is named twice'))
    else if (owner && !members.has(key.owner) && !managesRoom(owner, name)) {
      problems.push(problem(path, `${quoted(key.owner)} is not in this room and does not manage it`))
    }
  })
  const existing = outlook.before.apiKeys.get(key.name)
  if (existing && (existing.owner !== key.owner || existing.scope !== key.scope)) {
    problems.push(problem(key.path, 'a key keeps its owner and scope: revoke it, or choose another name'))
  }
  return problems
}

const managesRoom = (person: Person, room: string): boolean =>
  person.role >= roles.company_manager || person.manages.some((name) => room.startsWith(`${name}/`))

const problem = (path: FilePath, message: string): FileProblem => ({ path, message })
const quoted = (text: string): string => JSON.stringify(text)
const noUser = (login: string): string => `the company has no user ${quoted(login)}`

const repeated = <T extends { path: FilePath }>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
  field = 'name',
): FileProblem[] => repeatedAt(entries, nameOf, (entry) => [...entry.path, field])

function repeatedAt<T>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
  pathOf: (entry: T) => FilePath,
): FileProblem[] {
  const seen = new Set<string>()
  return entries.flatMap((entry) => {
    const name = nameOf(entry)
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [problem(pathOf(entry), `${quoted(name)} comes twice`)]
  })
}
