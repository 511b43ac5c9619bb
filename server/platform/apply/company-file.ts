/** What a company file declares, read and checked for form; names are not resolved yet. */
export interface CompanyFile {
  companies: DeclaredCompany[]
}

/** Where in the file something stands: keys and positions from the top. */
export type FilePath = (string | number)[]

/** A section that is left out is undefined: nothing is said about it, so nothing of it is removed. */
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
}

export interface DeclaredMember {
  path: FilePath
  login: string
  roomManager: boolean
}

export interface DeclaredUser {
  path: FilePath
  login: string
  /** Undefined: the login, for a new user; what it is, for one that exists. */
  displayName: string | undefined
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

/** One mistake in a file. */
export interface FileProblem {
  path: FilePath
  message: string
}
