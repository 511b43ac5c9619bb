import type { ApiKeyRow } from '../../access/keys/api-key-store.ts'

/** Current state of the companies in a file, keyed by the names that the file uses. */
export interface Snapshot {
  companies: Map<string, CompanySnapshot>
  /** Company id by login, for each login in the file that exists in any company. */
  loginCompanies: Map<string, string>
}

export interface CompanySnapshot {
  id: string
  departments: Map<string, { id: string }>
  /** Live rooms by `department/room`. */
  rooms: Map<string, RoomSnapshot>
  /** By login. */
  users: Map<string, UserSnapshot>
  /** Keys by name, without the revoked ones. */
  apiKeys: Map<string, ApiKeyRow & { owner: string; rooms: string[] }>
}

export interface RoomSnapshot {
  id: string
  members: Map<string, boolean>
  /** External people by `channel:client_id`. */
  clients: Map<string, { id: string; displayName: string }>
}

export interface UserSnapshot {
  id: string
  displayName: string
  email: string | null
  role: number
  disabled: boolean
  /** Names of departments. */
  manages: string[]
}

export const emptyCompany = (): Omit<CompanySnapshot, 'id'> => ({
  departments: new Map(),
  rooms: new Map(),
  users: new Map(),
  apiKeys: new Map(),
})

export const roomKey = (department: string, room: string): string => `${department}/${room}`
