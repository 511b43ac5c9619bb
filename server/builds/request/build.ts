import type { Database, Trx } from '../../db/database.ts'
import type { AttemptColumns } from '../attempts/claims/attempt-progress-store.ts'
import type { BuildFailed } from './build-failed.ts'
import type { BuildRequest } from './build-request.ts'
import type { BuildTools } from './build-tools.ts'

/** Writes rows of a step, and returns the columns of the attempt that refer to them. */
export type StepWrite = (trx: Trx) => Promise<AttemptColumns>

/** The context of every step, in addition to the values of earlier steps. */
export interface Build {
  request: BuildRequest
  tools: BuildTools
  db: Database
  /** Writes rows of a step under the claim, at the latest with the start of the next stage. */
  write: (work: StepWrite) => void
  /** Fires when the attempt is cancelled, or taken over by another worker. */
  signal: AbortSignal
}

/** The context of `undo`. */
export interface FailedBuild extends Pick<Build, 'request' | 'tools' | 'db'> {
  failure: BuildFailed
  /** Runs `work` in a transaction that holds the claim, so that nothing of a later worker is deleted. */
  whileClaimed: (work: () => Promise<void>) => Promise<void>
}
