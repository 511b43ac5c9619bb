import type { SharedSlots } from '../fairness/shared-slots.ts'
import type { RunServices } from '../runs/run-services.ts'
import type { SubmissionQueue } from '../runs/submit/submission-queue.ts'
import type { SessionServices } from '../sessions/session-services.ts'

/** The dependencies of the requests that come by a door. */
export interface DoorServices extends RunServices, SessionServices {
  queue: SubmissionQueue
  /** Programs and commands that requests wait for. */
  places: SharedSlots
}
