import { loginPattern, passwordMaxLength, passwordMinLength } from '@sandbox-jobs/contract/limits.ts'
import { apiKeyScopes } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import {
  clientIdPattern,
  socialMediaChannels,
} from '@sandbox-jobs/contract/resources/agents/social-media-client.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { anyOrigin, badDomains } from '../../access/origins.ts'
import { mailAddressPattern } from '../../base/config/notification-settings.ts'
import { FieldReader, type FilePath, type FileProblem } from '../../base/yaml-file.ts'
import type {
  CompanyFile,
  DeclaredApiKey,
  DeclaredClient,
  DeclaredCompany,
  DeclaredDepartment,
  DeclaredMember,
  DeclaredRoom,
  DeclaredUser,
} from './company-file.ts'

const name = {
  // No slash, because keys refer to rooms as department/room. No control characters, because names are printed.
  pattern: /^(?=.*\S)[^/\p{Cc}]{1,256}$/u,
  expected: 'a text of 1 to 256 characters without slashes and control characters',
}
const displayName = { pattern: /^(?=.*\S)\P{Cc}{1,256}$/u, expected: 'a text of 1 to 256 characters' }
const login = {
  pattern: new RegExp(loginPattern),
  expected: 'a login of 1 to 64 letters, digits and _.:@-',
}
const email = { pattern: mailAddressPattern, expected: 'an e-mail address' }
const clientId = {
  pattern: new RegExp(clientIdPattern),
  expected: 'a text of 1 to 128 letters, digits and _.:@+-',
}
const password = {
  pattern: new RegExp(`^[^\\0]{${passwordMinLength},${passwordMaxLength}}$`, 'u'),
  expected: `a text of ${passwordMinLength} to ${passwordMaxLength} characters`,
}
const domain = { pattern: /^\S+$/, expected: 'an origin like https://app.example.com' }
const roleNames = Object.keys(roles) as (keyof typeof roles)[]

/**
 * Reads a parsed company file. `problems` lists every mistake of form; `file` contains everything that could be read.
 */
export function readCompanyFile(value: unknown, now: Date): { file: CompanyFile; problems: FileProblem[] } {
  const reader = new FieldReader()
  const top = reader.fields(value ?? undefined, [], ['companies'])
  const companies = reader.list(top?.companies, ['companies'], (entry, path) =>
    readCompany(reader, entry, path, now),
  )
  if (top && companies === undefined) reader.note(['companies'], 'is missing')
  return { file: { companies: companies ?? [] }, problems: reader.problems }
}

function readCompany(
  reader: FieldReader,
  entry: unknown,
  path: FilePath,
  now: Date,
): DeclaredCompany | undefined {
  const fields = reader.fields(entry, path, ['name', 'departments', 'users', 'api_keys'])
  if (!fields) return undefined
  const at = (key: string) => [...path, key]
  const departments = reader.list(fields.departments, at('departments'), (department, place) =>
    readDepartment(reader, department, place),
  )
  const users = reader.list(fields.users, at('users'), (user, place) => readUser(reader, user, place))
  const apiKeys = reader.list(fields.api_keys, at('api_keys'), (key, place) =>
    readApiKey(reader, key, place, now),
  )
  const read = reader.text(fields.name, at('name'), name)
  return { path, name: read ?? '', departments: departments ?? [], users, apiKeys: apiKeys ?? [] }
}

function readDepartment(reader: FieldReader, entry: unknown, path: FilePath): DeclaredDepartment | undefined {
  const fields = reader.fields(entry, path, ['name', 'rooms'])
  if (!fields) return undefined
  const rooms = reader.list(fields.rooms, [...path, 'rooms'], (room, place) => readRoom(reader, room, place))
  const read = reader.text(fields.name, [...path, 'name'], name)
  return read === undefined ? undefined : { path, name: read, rooms: rooms ?? [] }
}

function readRoom(reader: FieldReader, entry: unknown, path: FilePath): DeclaredRoom | undefined {
  const fields = reader.fields(entry, path, ['name', 'managers', 'members', 'clients'])
  if (!fields) return undefined
  const read = reader.text(fields.name, [...path, 'name'], name)
  const people = (key: 'managers' | 'members') =>
    reader.list(fields[key], [...path, key], (person, place): DeclaredMember | undefined => {
      const found = reader.text(person, place, login)
      return found === undefined ? undefined : { path: place, login: found, roomManager: key === 'managers' }
    })
  const managers = people('managers')
  const members = people('members')
  const declared = managers || members ? [...(managers ?? []), ...(members ?? [])] : undefined
  const clients = reader.list(fields.clients, [...path, 'clients'], (client, place) =>
    readClient(reader, client, place),
  )
  return read === undefined ? undefined : { path, name: read, members: declared, clients }
}

function readClient(reader: FieldReader, entry: unknown, path: FilePath): DeclaredClient | undefined {
  const fields = reader.fields(entry, path, ['channel', 'client_id', 'name'])
  if (!fields) return undefined
  const channel = reader.choice(fields.channel, [...path, 'channel'], socialMediaChannels)
  const id = reader.text(fields.client_id, [...path, 'client_id'], clientId)
  const shown = reader.optionalText(fields.name, [...path, 'name'], displayName)
  if (channel === undefined || id === undefined) return undefined
  return { path, channel, clientId: id, displayName: shown }
}

function readUser(reader: FieldReader, entry: unknown, path: FilePath): DeclaredUser | undefined {
  const fields = reader.fields(entry, path, [
    'login',
    'name',
    'email',
    'role',
    'manages',
    'password',
    'disabled',
  ])
  if (!fields) return undefined
  const at = (key: string) => [...path, key]
  const role = reader.choice(fields.role, at('role'), roleNames)
  const read = {
    login: reader.text(fields.login, at('login'), login),
    displayName: reader.optionalText(fields.name, at('name'), displayName),
    email: fields.email === null ? null : reader.optionalText(fields.email, at('email'), email),
    role: roles[role ?? 'member'],
    manages:
      reader.list(fields.manages, at('manages'), (department, place) =>
        reader.text(department, place, name),
      ) ?? [],
    password: reader.optionalText(fields.password, at('password'), password),
    disabled: reader.flag(fields.disabled, at('disabled')),
  }
  if (read.manages.length > 0 && role !== undefined && role !== 'department_manager') {
    reader.note(at('manages'), 'is for the role department_manager only')
  }
  return read.login === undefined ? undefined : { ...read, path, login: read.login }
}

function readApiKey(
  reader: FieldReader,
  entry: unknown,
  path: FilePath,
  now: Date,
): DeclaredApiKey | undefined {
  const fields = reader.fields(entry, path, ['name', 'owner', 'scope', 'rooms', 'domains', 'expires_at'])
  if (!fields) return undefined
  const at = (key: string) => [...path, key]
  const roomName = { pattern: /^[^/\p{Cc}]+\/[^/\p{Cc}]+$/u, expected: 'department/room' }
  const keyName = reader.text(fields.name, at('name'), name)
  const owner = reader.text(fields.owner, at('owner'), login)
  const scope = reader.choice(fields.scope, at('scope'), apiKeyScopes)
  const rooms =
    reader.list(fields.rooms, at('rooms'), (room, place) => reader.text(room, place, roomName)) ?? []
  const domains = reader.list(fields.domains, at('domains'), (text, place) =>
    reader.text(text, place, domain),
  )
  const expiresAt = reader.instant(fields.expires_at, at('expires_at'), now)
  for (const index of badDomains(domains ?? [anyOrigin])) {
    reader.note([...at('domains'), index], `must be ${domain.expected}, or * alone`)
  }
  if (scope === 'sandbox' && rooms.length === 0) reader.note(at('rooms'), 'a sandbox key names its rooms')
  if (scope === 'full' && rooms.length > 0) reader.note(at('rooms'), 'is for sandbox keys only')
  if (keyName === undefined || owner === undefined || scope === undefined) return undefined
  return { path, name: keyName, owner, scope, rooms, domains: domains ?? [anyOrigin], expiresAt }
}
