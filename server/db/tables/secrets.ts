import type { ColumnType, Generated } from 'kysely'

export interface SecretBindingsTable {
  id: string
  company_id: string
  consumer_scope: string
  consumer_id: string
  task_id: string
  slot_name: string
  generation: number
  state: Generated<string>
  created_by: string
  created_at: Generated<Date>
  revoked_at: Date | null
}

export interface SecretValuesTable {
  binding_id: string
  company_id: string
  generation: number
  key_id: string
  wrapped_key: Buffer
  iv: Buffer
  ciphertext: Buffer
  created_at: Generated<Date>
}

export interface SecretEnvelopesTable {
  digest: Buffer
  company_id: string
  consumer_scope: string
  consumer_id: string
  task_id: string
  slot_name: string
  created_at: Generated<Date>
}

export interface SecretOperationsTable {
  id: string
  company_id: string
  binding_id: string
  operation_type: string
  generation: number
  state: Generated<string>
  created_by: string
  created_at: Generated<Date>
}

export interface SecretApprovalsTable {
  id: string
  company_id: string
  consumer_scope: string
  consumer_id: string
  owner_scope: string
  owner_id: string
  task_id: string
  task_version_id: string
  task_version_digest: string
  slot_names: string[]
  slot_set_hash: string
  generation: number
  state: Generated<string>
  created_by: string
  created_at: Generated<Date>
  revoked_at: Date | null
  revoke_reason: Generated<string>
}

export interface RunSecretPinsTable {
  run_id: string
  company_id: string
  fence: number
  /** Written as JSON text. */
  pins: ColumnType<Record<string, unknown>, string, string>
  pinned_at: Generated<Date>
}
