import type { ApiKeyRow } from '../api-key-store.ts'

/** What the directory holds of the companies that a file names, by name as the file names things. */
export interface Snapshot {
  companies: Map<string, CompanySnapshot>
  /** Company id by login, of every login of the file that exists anywhere. */
  loginCompanies: Map<string, string>
}

export interface CompanySnapshot {
  id: string
  departments: Map<string, { id: string }>
  /** By `department/room`, live ones. */
  rooms: Map<string, { id: string; members: Map<string, boolean> }>
  /** By login. */
  users: Map<string, UserSnapshot>
  /** By name, those not revoked. */
  apiKeys: Map<string, ApiKeyRow & { owner: string; rooms: string[] }>
}

export interface UserSnapshot {
  id: string
  displayName: string
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
