import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { LostAuthority } from './run-authority-store.ts'

/** A run that one worker holds. Every later write carries the fence. */
export interface ClaimedRun {
  id: string
  companyId: string
  state: RunState
  fence: number
  /** The executor's id for this claim. */
  sandboxId: string
}

/** A run taken over from an earlier holder. */
export interface TakenOverRun extends ClaimedRun {
  /** True if it was claimed for this worker's executor, which then knows whether it was started. */
  claimedHere: boolean
}

/** A newly claimed run. */
export interface NextRun extends ClaimedRun {
  /** Milliseconds from its submission to this claim, by the database's clock. */
  waitedMs: number
  /** Its company had another run at work. */
  isCompanyBusy: boolean
  /** Nothing else was queued at that time. Later runs are notified. */
  isLast: boolean
}

/** Status of a claim: the state of its run, or `lost` if another worker has the run or it has ended. */
export type ClaimStatus = RunState | 'lost'

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
