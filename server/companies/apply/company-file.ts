import type { SocialMediaChannel } from '@sandbox-jobs/contract/resources/agents/social-media-client.ts'
import type { FilePath } from '../../base/yaml-file.ts'

/** The content of a company file. Its form is checked; its names are not resolved yet. */
export interface CompanyFile {
  companies: DeclaredCompany[]
}

/** An omitted section is undefined. The apply then does not change or remove its entries. */
export interface DeclaredCompany {
  path: FilePath
  name: string
  departments: DeclaredDepartment[]
  users: DeclaredUser[] | undefined
  apiKeys: DeclaredApiKey[]
}

export interface DeclaredDepartment {
  path: FilePath
  name: string
  rooms: DeclaredRoom[]
}

export interface DeclaredRoom {
  path: FilePath
  name: string
  members: DeclaredMember[] | undefined
  clients: DeclaredClient[] | undefined
}

/** An external person, known by channel and client id. */
export interface DeclaredClient {
  path: FilePath
  channel: SocialMediaChannel
  clientId: string
  /** If undefined, an existing client keeps the current one. */
  displayName: string | undefined
}

export interface DeclaredMember {
  path: FilePath
  login: string
  roomManager: boolean
}

export interface DeclaredUser {
  path: FilePath
  login: string
  /** If undefined, a new user gets the login as display name, and an existing user keeps the current one. */
  displayName: string | undefined
  /** Where the user gets e-mail. If undefined, an existing user keeps the current one; null removes it. */
  email: string | null | undefined
  role: number
  /** Names of departments. */
  manages: string[]
  /** For new users only. */
  password: string | undefined
  disabled: boolean
}

export interface DeclaredApiKey {
  path: FilePath
  name: string
  owner: string
  scope: 'full' | 'sandbox'
  /** As `department/room`. */
  rooms: string[]
  domains: string[]
  expiresAt: Date | null
}
