import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { LostAuthority } from './run-authority-store.ts'

/** The data of a claimed run without those of its parts. */
export interface JobRow {
  claimed_at: Date
  chatroom_id: string
  task_id: string
  task_version_id: string
  resource_profile: string
  timeout_seconds: number
  input: Buffer | null
  startup_script: string
  work_script: string
  work_command: string | null
  ordinary_env: Record<string, unknown> | null
  /** Null for a run that did not come by a door. */
  door_kind: string | null
  content_state: string
  version_state: string
  task_state: string
  task_security_state: string
  environment_security_state: string
  environment_version_id: string
  /** The image by the row. Its signed statements decide what runs. */
  layer_digest: string | null
  promoted_digest: string | null
  isolation: Isolation
  runtime_egress_enabled: boolean
  /** Bytes that the run's hold covers; null: these have no price. */
  reserved_received_bytes: number | null
  reserved_sent_bytes: number | null
  environment_allow_list: EgressAllowList | null
  task_allow_list: EgressAllowList | null
  /** The authority that the run has lost since its submission; null if all of it is still valid. */
  lost_authority: LostAuthority | null
  /** Whether the company's storage quota has room for results. */
  has_room: boolean
}
