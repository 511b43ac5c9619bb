import { errorDetailMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { type BuildErrorCode, buildFailures } from '@sandbox-jobs/contract/resources/builds/build-failure.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Executing, Trx } from '../../../db/database.ts'
import { noImage } from '../../../environments/retention/failed-images.ts'
import { failHandoff } from '../../../environments/versions/runner-handoff-statement.ts'
import type { VersionTransition } from '../../../environments/versions/version-transitions.ts'
import { type AttemptProgress, columnsOf } from './attempt-progress-store.ts'
import {
  type AttemptRow,
  type Claimed,
  lockClaim,
  transitionLocked,
  transitionVersionOf,
  type WriteOutcome,
} from './claimed-attempt-store.ts'
import { endStage, enterStages } from './stage-store.ts'

export type AttemptEnding =
  | { state: 'completed'; version: VersionTransition }
  | {
      state: 'customer_failed' | 'platform_failed' | 'cancelled'
      errorCode: BuildErrorCode
      /** Slugs joined with `;`, truncated between two slugs to the maximum length of the field. */
      errorDetail?: string
      instruction?: FailedInstruction | undefined
      /** Default: the state that the contract gives a version after `errorCode`, without an image. */
      version?: VersionTransition
    }

/**
 * Ends the attempt and the build of its version together, and writes the progress `before` that was not written yet.
 * After a tenant's cancel only `cancelled` is accepted, and `before` is dropped.
 */
export async function finishAttempt(
  trx: Trx,
  attempt: Claimed,
  ending: AttemptEnding,
  before?: AttemptProgress,
): Promise<WriteOutcome> {
  const outcome = await lockClaim(trx, attempt)
  if (outcome === 'lost' || (outcome === 'cancel_requested' && ending.state !== 'cancelled')) return outcome
  await endLocked(trx, attempt, ending, outcome === 'done' ? before : undefined)
  return 'done'
}

const stageOutcomes = {
  completed: 'completed',
  customer_failed: 'failed',
  platform_failed: 'failed',
  cancelled: 'cancelled',
} as const

export type AttemptEnd = Pick<AttemptRow, 'state' | 'error_code' | 'error_detail'>

/** How an attempt ended; undefined while it has not ended. */
export async function findAttemptEnd(db: Executing, id: string): Promise<AttemptEnd | undefined> {
  return db
    .selectFrom('build_attempts')
    .modifyFront(acrossCompanies('the operator waits for a curated build'))
    .select(['state', 'error_code', 'error_detail'])
    .where('id', '=', id)
    .where('terminal_at', 'is not', null)
    .executeTakeFirst()
}

/** Ends an attempt whose row the caller has locked. A cancel passes through each state on its way. */
export async function endLocked(
  trx: Trx,
  attempt: Pick<AttemptRow, 'id' | 'company_id' | 'environment_version_id'>,
  ending: AttemptEnding,
  before: AttemptProgress = {},
): Promise<void> {
  const { stages = [], states = [] } = before
  const failed = ending.state === 'completed' ? undefined : ending
  await transitionLocked(trx, attempt, {
    to: ending.state,
    through: ending.state === 'cancelled' ? [...states, 'cancel_requested', 'cancelling'] : states,
    set: {
      ...(await columnsOf(trx, before)),
      terminal_at: sql`now()`,
      lease_until: null,
      error_code: failed?.errorCode ?? '',
      error_detail: boundSlugs(failed?.errorDetail ?? ''),
      failed_instruction: failed?.instruction ?? null,
    },
  })
  const outcome = stageOutcomes[ending.state]
  if (stages.length > 0) await enterStages(trx, attempt, stages, outcome)
  else await endStage(trx, attempt, outcome)
  const version =
    ending.version ?? (failed && { to: buildFailures[failed.errorCode].versionState, set: noImage })
  if (version) await transitionVersionOf(trx, attempt, joined(before.version, version))
  if (ending.state === 'customer_failed' || ending.state === 'platform_failed')
    await failHandoff(trx, { versionId: attempt.environment_version_id, companyId: attempt.company_id })
}

/** Joins two transitions of one row. */
const joined = (first: VersionTransition | undefined, second: VersionTransition): VersionTransition =>
  first
    ? {
        ...second,
        through: [...(first.through ?? []), first.to, ...(second.through ?? [])],
        set: { ...first.set, ...second.set },
      }
    : second

function boundSlugs(detail: string): string {
  if (detail.length <= errorDetailMaxLength) return detail
  return detail.slice(0, detail.lastIndexOf(';', errorDetailMaxLength)).slice(0, errorDetailMaxLength)
}
