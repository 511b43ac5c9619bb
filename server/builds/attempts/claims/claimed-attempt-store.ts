import {
  type BuildAttemptState,
  buildAttemptMachine,
} from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../../db/database.ts'
import type { BuildAttemptsTable } from '../../../db/tables/environments.ts'
import { transition } from '../../../db/transition.ts'
import {
  transitionVersion,
  type VersionTransition,
} from '../../../environments/versions/version-transitions.ts'

/*
 * A build attempt under a claim.
 *
 * An attempt belongs to the worker that claimed it, under the fence of that claim. The claim is valid while its lease is
 * renewed. An attempt whose lease expired goes to the next worker under a higher fence, in its current state; from then
 * on no write of the former worker changes anything.
 * A tenant's cancel sets the state to `cancel_requested` while the worker runs. The worker's next write then changes
 * nothing and returns `cancel_requested`, and the attempt can only end as `cancelled`.
 * The version's state changes in the same transaction as the attempt's, so neither is visible without the other.
 */

export type AttemptRow = Selectable<BuildAttemptsTable>

/** An attempt and the fence under which the writer claimed it. */
export type Claimed = Pick<AttemptRow, 'id' | 'company_id' | 'fence' | 'environment_version_id'>

/** `lost`: another worker has the attempt, or it has ended. */
export type WriteOutcome = 'done' | 'cancel_requested' | 'lost'

/** Renews the lease, also after a cancel, so that the worker can clean up. */
export async function renewLease(db: Executing, attempt: Claimed, leaseMs: number): Promise<WriteOutcome> {
  const row = await db
    .updateTable('build_attempts')
    .set({ lease_until: leaseEnd(leaseMs) })
    .where('id', '=', attempt.id)
    .where('company_id', '=', attempt.company_id)
    .where('fence', '=', attempt.fence)
    .where('terminal_at', 'is', null)
    .returning('state')
    .executeTakeFirst()
  if (!row) return 'lost'
  return isCancelling(row.state) ? 'cancel_requested' : 'done'
}

export async function transitionLocked(
  trx: Trx,
  { id, company_id: companyId }: Pick<AttemptRow, 'id' | 'company_id'>,
  move: { to: BuildAttemptState; through: readonly BuildAttemptState[]; set: Record<string, unknown> },
): Promise<void> {
  const left = await transition(trx, {
    table: 'build_attempts',
    machine: buildAttemptMachine,
    id,
    companyId,
    ...move,
  })
  requireMoved(left, id, move.to)
}

export async function transitionVersionOf(
  trx: Trx,
  attempt: Pick<AttemptRow, 'company_id' | 'environment_version_id'>,
  move: VersionTransition,
): Promise<void> {
  const id = attempt.environment_version_id
  requireMoved(await transitionVersion(trx, { id, company_id: attempt.company_id }, move), id, move.to)
}

function requireMoved(left: string | undefined, id: string, to: string): void {
  if (left === undefined) throw new Error(`${id} has no transition to ${to}`)
}

/** Locks the attempt until the transaction ends, if the claim is still valid. */
export async function lockClaim(trx: Trx, attempt: Claimed): Promise<WriteOutcome> {
  const row = await trx
    .selectFrom('build_attempts')
    .select(['state', 'terminal_at'])
    .where('id', '=', attempt.id)
    .where('company_id', '=', attempt.company_id)
    .where('fence', '=', attempt.fence)
    .forUpdate()
    .executeTakeFirst()
  if (!row || row.terminal_at) return 'lost'
  return isCancelling(row.state) ? 'cancel_requested' : 'done'
}

export const isCancelling = (state: string): boolean => state === 'cancel_requested' || state === 'cancelling'

export const leaseEnd = (leaseMs: number) => sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`
