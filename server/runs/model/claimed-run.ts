import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'

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
  /** True if this machine claimed it: then its executor knows whether it was started. */
  claimedHere: boolean
}

/** A newly claimed run. */
export interface NextRun extends ClaimedRun {
  /** Nothing else was queued at that time. Later runs are notified. */
  isLast: boolean
}

/** Status of a claim: the state of its run, or `lost` if another worker has the run or it has ended. */
export type ClaimStatus = RunState | 'lost'
