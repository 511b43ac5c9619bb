import type { OperatorSignIn } from './operator-sign-in.ts'
import type { OperatedRun } from './operator-work.ts'

interface Share {
  used: number
  total: number
}

/** Work of one company that has not ended. Ages are in seconds; 0: nothing waits. */
export interface CompanyWork {
  company_id: string
  name: string
  runs_active: number
  runs_queued: number
  oldest_queued_run: number
  builds_active: number
  builds_queued: number
}

/** The work on the machine and its use now. Sizes are in bytes, times in seconds; a time of 0: nothing waits. */
export interface OperatorState {
  at: string
  version: string
  sign_in: OperatorSignIn
  /** The setting `SANDBOX_ENABLED`: false refuses all changes, whatever operators do. */
  enabled: boolean
  /** Since when operators have stopped all changes; null: they have not. */
  stopped_since: string | null
  /** Whether they answer. */
  worker: boolean
  host_agent: boolean
  run_slots: Share
  build_slots: Share
  /** The memory that active runs count for, and that of all sandboxes together. Builds are not in it. */
  sandbox_memory: Share
  machine: { processors: number; load: number; memory_available: number; memory_total: number }
  disk: { free: number; total: number; floor: number }
  waiting: {
    runs: number
    oldest_run: number
    builds: number
    oldest_build: number
    webhooks: number
    mails: number
    /** Age of the oldest change that the audit logs do not have yet. */
    audit_lag: number
    /** Statements that wait for a lock of another one. */
    lock_waits: number
  }
  /** At most 20, those with the most work first. */
  companies: CompanyWork[]
  /** At most 20, those at work the longest first. */
  runs: OperatedRun[]
  /** At most 20, those with the most stored bytes first; a limit of null: none. */
  storage: { company_id: string; name: string; kept_bytes: number; limit_bytes: number | null }[]
}
