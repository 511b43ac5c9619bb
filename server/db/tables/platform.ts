import type { Generated } from 'kysely'

export interface CompaniesTable {
  id: string
  name: string
  created_at: Generated<Date>
}

export interface DepartmentsTable {
  id: string
  company_id: string
  name: string
  created_at: Generated<Date>
}

export interface ChatroomsTable {
  id: string
  company_id: string
  department_id: string
  name: string
  authority_generation: Generated<number>
  jobs: string[] | null
  jobs_updated_at: Date | null
  deleted_at: Date | null
  created_at: Generated<Date>
  /** Whether the ends of runs are announced in the room. */
  announces_runs: Generated<boolean>
}

export interface UsersTable {
  id: string
  company_id: string
  login: string
  display_name: string
  password_hash: string | null
  role: number
  credential_generation: Generated<number>
  disabled_at: Date | null
  created_at: Generated<Date>
  /** Set by the operator. */
  email: Generated<string | null>
}

export interface DepartmentManagersTable {
  department_id: string
  user_id: string
  company_id: string
}

export interface ChatroomMembersTable {
  chatroom_id: string
  user_id: string
  company_id: string
  room_manager: Generated<boolean>
}

export interface FavoriteChatroomsTable {
  user_id: string
  chatroom_id: string
  company_id: string
}

export interface ApiKeysTable {
  id: string
  company_id: string
  owner_user_id: string
  name: string
  key_hash: Buffer
  /** Number of the pepper of that hash. */
  pepper: Generated<number>
  scope: 'full' | 'sandbox'
  allowed_chatroom_ids: string[]
  domains: string[]
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  created_at: Generated<Date>
}

export interface LoginAttemptsTable {
  bucket_key: Buffer
  full_at: Date
}

export interface LoginAddressesTable {
  user_id: string
  company_id: string
  address_key: Buffer
  seen_at: Date
}

export interface SignInsTable {
  id: string
  company_id: string
  user_id: string
  token_hash: Buffer
  credential_generation: number
  client: string
  address: string
  created_at: Date
  last_used_at: Date
  expires_at: Date
  provider_state_hash: Buffer | null
}

export interface ConsolePreferencesTable {
  user_id: string
  company_id: string
  language: 'en' | 'de' | null
  time_zone: string | null
  theme: 'system' | 'light' | 'dark'
  single_keys: boolean
  log_wrap: boolean
}

export interface StateEventsTable {
  id: Generated<number>
  company_id: string | null
  entity: string
  entity_id: string
  from_state: string
  to_state: string
  at: Generated<Date>
}
