import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { Trx } from '../../../db/database.ts'
import type { VersionTransition } from '../../../environments/versions/version-transitions.ts'
import {
  type AttemptRow,
  type Claimed,
  lockClaim,
  transitionLocked,
  transitionVersionOf,
  type WriteOutcome,
} from './claimed-attempt-store.ts'
import { type EnteredStage, enteredAt, enterStages } from './stage-store.ts'

export type AttemptColumns = Partial<
  Pick<AttemptRow, 'raw_upload_digest' | 'canonical_digest' | 'report_object_id' | 'sbom_object_id'> & {
    /** JSON. */
    network: string
  }
>

/** Progress of a chain since the last write. Each list is in chronological order. */
export interface AttemptProgress {
  stages?: readonly EnteredStage[]
  states?: readonly BuildAttemptState[]
  /** Further columns of the attempt. */
  set?: AttemptColumns
  /** Writes the rows of steps, and returns the columns of the attempt that refer to them. */
  write?: (trx: Trx) => Promise<AttemptColumns>
  version?: VersionTransition
}

/** Records the progress of attempt and version together. Changes nothing unless it returns `done`. */
export async function advance(trx: Trx, attempt: Claimed, progress: AttemptProgress): Promise<WriteOutcome> {
  const outcome = await lockClaim(trx, attempt)
  if (outcome !== 'done') return outcome
  const { stages = [], states = [], version } = progress
  const set = await columnsOf(trx, progress)
  const to = states.at(-1)
  if (to !== undefined) await transitionLocked(trx, attempt, { to, through: states.slice(0, -1), set })
  else if (Object.keys(set).length > 0) {
    await trx
      .updateTable('build_attempts')
      .set(set)
      .where('id', '=', attempt.id)
      .where('company_id', '=', attempt.company_id)
      .execute()
  }
  await enterStages(trx, attempt, stages)
  if (version) await transitionVersionOf(trx, attempt, version)
  return 'done'
}

/** The columns that this progress sets. */
export async function columnsOf(trx: Trx, { stages = [], set, write }: AttemptProgress) {
  const last = stages.at(-1)
  return {
    ...set,
    ...(await write?.(trx)),
    ...(last && { stage_code: last.stage, stage_since: enteredAt(last) }),
  }
}
