import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { ColumnType, Generated } from 'kysely'

export interface TasksTable {
  id: string
  company_id: string
  owner_scope: string
  owner_id: string
  name: string
  description: Generated<string>
  agent_enabled: Generated<boolean>
  state: Generated<string>
  security_state: Generated<string>
  /** Made by a quick run: in no list. */
  hidden: Generated<boolean>
  current_published_version_id: string | null
  current_draft_version_id: string | null
  egress_allow_list: EgressAllowList | null
  created_at: Generated<Date>
}

export interface TaskVersionsTable {
  id: string
  task_id: string
  company_id: string
  version_number: number
  state: Generated<string>
  content_state: Generated<string>
  environment_version_id: string
  startup_script: Generated<string>
  work_script: Generated<string>
  work_command: string | null
  ordinary_env: Record<string, unknown> | null
  input_instructions: string | null
  input_example: string | null
  input_schema: string | null
  timeout_seconds: Generated<number>
  /** Written as JSON text: the driver would take a list for a Postgres array. */
  secret_slot_declarations: ColumnType<unknown[] | null, string | null, string | null>
  requires_confirmation: Generated<boolean>
  output_policy: ColumnType<Record<string, unknown> | null, string | null, string | null>
  bundle_id: string | null
  /** sha256 of the bundle's archive: the digest of the version stands for it. */
  bundle_digest: string | null
  canonical_digest: string
  content_hash: string
  created_by: string
  created_at: Generated<Date>
  published_at: Date | null
  archived_at: Date | null
  /** Null before it is published. */
  published_by: string | null
  /** Whether nobody but `created_by` has changed it. */
  sole_author: Generated<boolean>
}

export interface ShareGrantsTable {
  id: string
  company_id: string
  task_id: string
  target_kind: string
  target_id: string
  generation: number
  state: Generated<string>
  owner_authority_generation: Generated<number>
  target_authority_generation: Generated<number>
  secret_slot_policies: Record<string, string> | null
  created_at: Generated<Date>
  revoked_at: Date | null
  revoke_reason: Generated<string>
}

export interface BindingsTable {
  id: string
  company_id: string
  chatroom_id: string
  task_id: string
  task_version_id: string
  generation: number
  share_generation: number
  target_authority_generation: number
  state: Generated<string>
  accepted_at: Generated<Date>
  revoked_at: Date | null
  revoke_reason: Generated<string>
}
