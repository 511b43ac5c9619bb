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
  /** Null in all fields `next_*`: it covers no other version. */
  next_until: Date | null
  next_approved_by: string | null
  next_author_id: string | null
  next_after: number | null
  next_slot_names: string[] | null
  next_share_grant_id: string | null
  next_ended_at: Date | null
  next_end_reason: string | null
}

export interface RunSecretPinsTable {
  run_id: string
  company_id: string
  fence: number
  /** Written as JSON text. */
  pins: ColumnType<Record<string, unknown>, string, string>
  pinned_at: Generated<Date>
}
