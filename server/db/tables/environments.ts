import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import type { Envelope } from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { BuildCache } from '@sandbox-jobs/contract/resources/environments/version-build-cache.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { Generated, JSONColumnType } from 'kysely'

export interface EnvironmentsTable {
  id: string
  company_id: string | null
  owner_kind: 'system_curated' | 'company'
  owner_scope: 'company' | 'department'
  owner_id: string
  name: string
  description: Generated<string>
  state: Generated<string>
  security_state: Generated<string>
  current_version_id: string | null
  vulnerabilities_revision: Generated<number>
  egress_allow_list: EgressAllowList | null
  created_at: Generated<Date>
}

export interface UploadSessionsTable {
  id: string
  company_id: string
  environment_id: string | null
  object_kind: string
  archive_format: string
  declared_bytes: number
  state: string
  capability_hash: Buffer
  capability_expires_at: Date
  session_expires_at: Date
  received_bytes: number | null
  received_digest: string | null
  storage_key: string | null
  receiving_until: Date | null
  /** Where bytes lie, or arrive, that are not the session's own. */
  unused_key: string | null
  owned_object_id: string | null
  created_by: string
  created_at: Generated<Date>
}

export interface OwnedObjectsTable {
  id: string
  company_id: string
  environment_id: string | null
  object_kind: string
  archive_format: string | null
  storage_key: string
  byte_size: number
  digest: string
  build_attempt_id: string | null
  deletion_state: Generated<string>
  created_at: Generated<Date>
  expires_at: Date | null
}

/** Values that a run takes from the configuration of the image. */
export interface ImageConfig {
  env: string[]
  user: string
}

export interface EnvironmentVersionsTable {
  id: string
  company_id: string | null
  environment_id: string
  version_number: number
  state: Generated<string>
  security_state: Generated<string>
  resource_profile: string
  isolation: Generated<Isolation>
  build_cache: Generated<BuildCache>
  owned_object_id: string | null
  source_digest: string | null
  source_ref: Generated<string>
  promoted_digest: string | null
  composed_execution_digest: string | null
  layer_digest: string | null
  retiring_layer_digest: string | null
  unreferenced_since: Date | null
  image_config: ImageConfig | null
  runner_release: string | null
  policy_revision: string | null
  blocked_reason: Generated<string>
  blocked_from: string | null
  unpacked_bytes: number | null
  compressed_bytes: number | null
  ready_at: Date | null
  verified_at: Date | null
  state_changed_at: Generated<Date>
  last_build_attempt_id: string | null
  created_at: Generated<Date>
  handoff_since: Date | null
  handoff_failed_at: Date | null
  renewal_blocked_at: Date | null
}

export interface RunnerReleasesTable {
  release: string
  layer_digest: string
  abi_revision: number
  first_seen_at: Generated<Date>
  approved_at: Date | null
  approved_by: 'declared' | 'operator' | null
}

export interface ComposedImagesTable {
  installed_digest: string
  runner_digest: string
  repository: string
  digest: string
  pushed_at: Generated<Date>
}

export interface BuildStagesTable {
  attempt_id: string
  company_id: string
  stage: string
  started_at: Generated<Date>
  ended_at: Date | null
  outcome: 'completed' | 'failed' | 'cancelled' | 'interrupted' | null
  passes: Generated<number>
}

export interface BuildAttemptsTable {
  id: string
  company_id: string
  environment_version_id: string
  attempt_number: number
  state: string
  stage_code: Generated<string>
  stage_since: Generated<Date>
  error_code: Generated<string>
  error_detail: Generated<string>
  build_region: string
  build_profile: string
  raw_upload_digest: Generated<string>
  canonical_digest: Generated<string>
  failed_instruction: FailedInstruction | null
  report_object_id: string | null
  sbom_object_id: string | null
  queued_at: Generated<Date>
  started_at: Date | null
  terminal_at: Date | null
  fence: Generated<number>
  worker: string | null
  lease_until: Date | null
  unreturned_claims: Generated<number>
  log_removed_at: Date | null
  /** Of its stored log. */
  log_bytes: Generated<number>
  network: JSONColumnType<BuildNetwork> | null
}

export interface BuildCacheTable {
  company_id: string
  key: string
  version_id: string
  noted_at: Generated<Date>
  network_since: Date | null
}

export interface ContextFactsTable {
  company_id: string
  raw_digest: string
  archive_format: string
  gate_digest: string
  canonical_digest: string
  bases: string[]
  points: JSONColumnType<{ stage: number; count: number; line: number; uses: number[]; key: string }[]>
  noted_at: Generated<Date>
  final_base: string | null
}

export interface BuildPrefixesTable {
  company_id: string
  key: string
  attempt_id: string
  byte_size: number
  envelope: JSONColumnType<Envelope> | null
  used_at: Generated<Date>
  network_since: Date | null
}

export interface BuiltPrefixesTable {
  environment_id: string
  keys: string[]
  noted_at: Generated<Date>
}

export interface PulledImagesTable {
  scope: string
  digest: string
  object_digest: string
  byte_size: number
  /** The company that it counts to; null: nobody. */
  pulled_by: string | null
  used_at: Generated<Date>
}

export interface BaseImagesTable {
  executor: string
  name: string
  digest: string
  preset: string | null
  debian: string | null
  languages: JSONColumnType<{ name: string; version: string }[]>
  packages: string[]
  byte_size: number | null
  made_at: Date | null
}

export interface HostImageRemovalsTable {
  executor: string
  layer_digest: string
}

export interface BuildFenceTable {
  single: Generated<boolean>
  ends_at: Date
}

export interface BuildMemoryTurnTable {
  executor: string
  attempt_id: string
  reserved_at: Date
  renewed_at: Date
}

export interface BlockedDigestsTable {
  digest: string
  reason: string
  blocked_at: Generated<Date>
}
