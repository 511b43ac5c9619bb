import type { Generated, GeneratedAlways } from 'kysely'
import type { Refusal } from '../../../agent/port/network-refusals.ts'

export interface RunsTable {
  id: string
  company_id: string
  chatroom_id: string
  task_id: string
  task_version_id: string
  environment_version_id: string
  share_grant_id: string | null
  state: Generated<string>
  resource_profile: string
  /** Queue lane by the run's needs: `short_` or `long_` by its timeout, and its profile. */
  lane: GeneratedAlways<string>
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  auth_method: 'jwt' | 'api_key'
  api_key_id: string | null
  submission_source: 'rest' | 'agent' | 'quick_run' | 'custom_table_trigger'
  timeout_seconds: number
  input_digest: string
  retry_of_run_id: Generated<string>
  error_code: Generated<string>
  error_detail: Generated<string>
  exit_code: number | null
  failure_stage: Generated<string>
  failure_source: Generated<string>
  measured_ingress_bytes: Generated<number>
  measured_egress_bytes: Generated<number>
  peak_memory_bytes: number | null
  cpu_ms: number | null
  queued_at: Generated<Date>
  claimed_at: Date | null
  started_at: Date | null
  cancel_requested_at: Date | null
  terminal_at: Date | null
  fence: Generated<number>
  worker: string | null
  /** It knows whether the run was started. */
  executor: string | null
  lease_until: Date | null
  sandbox_id: string | null
  content_expired_at: Date | null
  secret_slot_provenance: Record<string, unknown> | null
  session_id: string | null
  /** Queued until its session is its own. */
  waits_for_session: Generated<boolean>
}

/** Waiting companies in the order in which they are served. Written by triggers and claims. */
export interface QueueTurnsTable {
  company_id: string
  served_at: Date | null
  since: Generated<Date>
}

export interface RunCountsTable {
  company_id: string
  /** Empty: all tasks. */
  task_id: string
  /** UTC day of `queued_at`; `-infinity`: all days. */
  day: string
  chatroom_id: string
  principal_type: string
  submission_source: string
  /** Empty: all created runs. */
  state: string
  runs: number
}

/** Written by triggers. */
export interface RunCountChangesTable extends RunCountsTable {
  place: Generated<number>
}

export interface LiveRunChangesTable {
  company_id: string
  chatroom_id: string
  executor: string
  resource_profile: string
  runs: number
}

/** `company_id` empty: all companies; `chatroom_id` empty: all rooms; `executor` empty: all executors. */
export interface LiveRunCountsTable extends LiveRunChangesTable {}

export interface RunInputsTable {
  run_id: string
  company_id: string
  content: Buffer
}

export interface RunContentsTable {
  run_id: string
  company_id: string
  state: Generated<string>
  output_key: string | null
  output_bytes: number | null
  output_digest: string | null
  log_key: string | null
  log_bytes: number | null
  log_digest: string | null
  bundle_key: string | null
  bundle_bytes: number | null
  created_at: Generated<Date>
  refused_rule: Generated<string | null>
  refused_path: Generated<string | null>
}

export interface RunRefusalsTable {
  run_id: string
  company_id: string
  entries: Refusal[]
  more: number
}

export interface RunArtifactsTable {
  id: string
  run_id: string
  company_id: string
  relative_path: string
  path_hash: string
  bundle_offset: number
  byte_size: number
  digest: string
  deletion_state: Generated<string>
  declared_content_type: string
  modified_at: Generated<Date | null>
}

export interface LiveLogsTable {
  subject_id: string
  company_id: string
  wanted_until: Date
  start: Generated<number>
  bytes: Generated<Buffer>
}

/** Runs and builds whose changes of state are notified. */
export interface StateWatchesTable {
  subject_id: string
  company_id: string
  wanted_until: Date
}

export interface IdempotencyKeysTable {
  company_id: string
  principal_id: string
  route: string
  key: string
  request_hash: string
  /** The queued run; its row is part of the response. Null if `response` is complete. */
  run_id: string | null
  response: Record<string, unknown> | null
  created_at: Generated<Date>
}

export interface PublicLinksTable {
  id: string
  company_id: string
  run_id: string
  object_kind: 'log' | 'output' | 'artifact'
  artifact_id: string | null
  token_hash: Buffer
  created_by: string
  created_at: Generated<Date>
  revoked_at: Date | null
}

/** Expiring links; their tokens are signed and not stored. */
export interface SignedLinksTable {
  id: string
  company_id: string
  run_id: string
  purpose: 'share' | 'media' | 'download'
  object_kind: 'run' | 'log' | 'output' | 'artifact'
  artifact_id: string | null
  created_by: string
  created_at: Generated<Date>
  expires_at: Date
  revoked_at: Date | null
}
