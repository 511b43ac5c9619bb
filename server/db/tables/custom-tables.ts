import type {
  CustomTableState,
  TableCommandState,
  TableTriggerState,
} from '@sandbox-jobs/contract/states/custom-table-states.ts'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

type Json<T> = ColumnType<T, string, string>

export interface StoredField {
  name: string
  type: 'text' | 'integer' | 'number' | 'boolean' | 'datetime' | 'json'
  required: boolean
}

export interface CustomTablesTable {
  id: string
  company_id: string
  owner_scope: 'department' | 'company'
  owner_id: string
  name: string
  description: string
  fields: Json<StoredField[]>
  commands_only: boolean
  channel_rule: boolean
  row_count: Generated<number>
  state: Generated<CustomTableState>
  created_by: string
  created_at: Generated<Date>
  archived_at: Date | null
}

export interface CustomTableRowsTable {
  id: string
  company_id: string
  table_id: string
  version: Generated<number>
  chatroom_id: string | null
  values: Json<Record<string, unknown>>
  byte_size: number
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export interface CustomTableCommandsTable {
  id: string
  company_id: string
  table_id: string
  name: string
  description: string
  revision: Generated<number>
  inputs: Json<StoredField[]>
  mode: 'write' | 'read'
  authority: 'definition' | 'caller'
  effect_identity: string[] | null
  granted_scope: 'chatroom' | 'department' | 'company'
  granted_id: string
  state: Generated<TableCommandState>
  created_by: string
  created_at: Generated<Date>
  archived_at: Date | null
}

export interface CustomTableIdentitiesTable {
  command_id: string
  identity: string
  company_id: string
  row_id: string
}

export interface CustomTableTriggersTable {
  id: string
  company_id: string
  table_id: string
  name: string
  description: string
  events: ('create' | 'update')[]
  chatroom_id: string
  task_version_id: string
  input_template: Json<unknown>
  timeout_seconds: number | null
  run_as: string
  state: Generated<TableTriggerState>
  last_error_code: Generated<string | null>
  last_refused_at: Generated<Date | null>
  created_at: Generated<Date>
  archived_at: Generated<Date | null>
}

export interface CustomTableTriggerEventsTable {
  id: string
  place: GeneratedAlways<number>
  company_id: string
  trigger_id: string
  row_id: string
  row_version: number
  event: 'create' | 'update'
  values: ColumnType<Record<string, unknown> | null, string | null, null>
  byte_size: number
  chain: number
  outcome: Generated<'started' | 'refused' | null>
  run_id: Generated<string | null>
  error_code: Generated<string | null>
  created_at: Generated<Date>
  handled_at: Generated<Date | null>
}

export interface RunOutputCredentialsTable {
  run_id: string
  company_id: string
  fence: number
  token_id: string
  secret_hash: Buffer
  created_at: Generated<Date>
  expires_at: Date
  effects: Generated<number>
}

export interface RunOutputEffectsTable {
  run_id: string
  company_id: string
  effect_key: string
  request_hash: string
  response: Json<Record<string, unknown>>
  created_at: Generated<Date>
}
