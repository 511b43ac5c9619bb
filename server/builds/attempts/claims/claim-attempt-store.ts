import { runConcurrencyDefault } from '@sandbox-jobs/contract/limits.ts'
import { buildAttemptMachine } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { type RawBuilder, sql } from 'kysely'
import { buildEndsAt, capacityInUse } from '../../../capacity/capacity-in-use-statement.ts'
import { delaysNoReservation, memoryReservations } from '../../../capacity/memory-reservation-statement.ts'
import { buildMemoryMib } from '../../../capacity/promised-memory-statement.ts'
import { largestBuildMib, type RunCapacity, sharedMemoryMib } from '../../../capacity/run-capacity.ts'
import { busyCompanies, turnsTried, waitingCompanies } from '../../../capacity/waiting-companies-statement.ts'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Database, Trx } from '../../../db/database.ts'
import { transition } from '../../../db/transition.ts'
import { hasSteadyLease } from '../../../work/executor-statement.ts'
import type { BuildSlots } from '../build-limits.ts'
import { type AttemptEnding, endLocked } from './attempt-end-store.ts'
import { type AttemptRow, isCancelling, leaseEnd } from './claimed-attempt-store.ts'
import { buildOrder, fairAttempts, hasBuildSlot, reserveMemory } from './waiting-attempts-store.ts'

/** After this many claims whose worker died, the attempt is not claimed again. An orderly stop does not count. */
export const claimsMax = 5

export interface ClaimBuildOptions {
  /** The executor of the worker, whose processes for builds have its name one after another. */
  worker: string
  leaseMs: number
  /** Capacity of the executor that all companies share. */
  share: BuildSlots
}

/**
 * Claims the next attempt: first one that its worker left, else the oldest waiting attempt for which company and executor
 * have a slot and memory, from the company with the fewest running builds, then from the one served least recently.
 * A company with a running build gets no reserved slot. An attempt that waits for long reserves memory. A waiting attempt becomes `validating`; one that is taken over
 * keeps its state.
 */
export async function claimNextAttempt(db: Database, by: ClaimBuildOptions): Promise<AttemptRow | undefined> {
  if (!(await isAnyClaimable(db, by.worker))) return undefined
  return db.transaction().execute(async (trx) => {
    // One claim at a time, or two would count the same free slot of a company.
    await sql`select pg_advisory_xact_lock(hashtextextended('build-claims', 0))`.execute(trx)
    await reserveMemory(trx, by.worker, by.share)
    let next = await lockNextAttempt(trx, by)
    while (next && next.unreturned_claims >= claimsMax) {
      await endLocked(trx, next, workersLost(next))
      next = await lockNextAttempt(trx, by)
    }
    return next && assignAttempt(trx, next, by)
  })
}

/** Condition on the attempt `a`: an executor that drains claims only what it has, whose process for builds has died. */
const mayClaim = (executor: string): RawBuilder<boolean> => sql<boolean>`
    (a.worker = ${executor} or not exists (select from executors where id = ${executor} and draining))`

/** Condition on the attempt `a`: its lease was released, or it has expired, and not because the database was away. */
const isLeft = (executor: string): RawBuilder<boolean> => sql<boolean>`
    (a.worker is not null and (a.lease_until is null or (a.lease_until < now() and ${hasSteadyLease(sql`${executor}`)})))`

/** Whether a claim may find anything. Most polls find nothing, and this query needs no lock. */
async function isAnyClaimable(db: Database, executor: string): Promise<boolean> {
  const { rows } = await sql`${acrossCompanies('a worker polls for anything to claim')}
    select from build_attempts a where terminal_at is null and (state = 'validation_queued' or ${isLeft(executor)})
      and ${mayClaim(executor)} limit 1
  `.execute(db)
  return rows.length > 0
}

async function lockNextAttempt(
  trx: Trx,
  { worker: executor, share }: ClaimBuildOptions,
): Promise<AttemptRow | undefined> {
  const { capacity } = share
  const { rows } = await sql<AttemptRow>`${acrossCompanies('the claim serves companies in turn')}
    with ${capacityInUse(capacity, executor)}, ${busyCompanies}, waiting as materialized (
      ${waitingCompanies({ capacity, companyConcurrency: runConcurrencyDefault, skipped: 0, tried: turnsTried })}
    ), ${memoryReservations(capacity, { executor, companies: 'waiting', buildMib: largestBuildMib(capacity) })}
    select a.* from ${fairAttempts}
    where a.terminal_at is null and ${mayClaim(executor)}
      and (${isLeft(executor)} or (${hasBuildSlot(share)} and ${fitsMemory(capacity)}))
    order by a.worker is null, ${buildOrder}
    limit 1
    for update of a skip locked
  `.execute(trx)
  return rows[0]
}

/** Condition on the attempt `a`: there is enough memory, and it takes none that a run or another build reserves. */
const fitsMemory = (capacity: RunCapacity): RawBuilder<boolean> => {
  const memory = buildMemoryMib(capacity, 'a.build_profile')
  const attempt = {
    id: sql`a.id`,
    memory: sql`${memory} - reservations.unused`,
    endsAt: buildEndsAt(sql`now()`),
  }
  return sql<boolean>`
    held.run_memory + held.build_memory + ${memory} <= ${sql.lit(sharedMemoryMib(capacity))}
    and ${delaysNoReservation(attempt)}`
}

async function assignAttempt(trx: Trx, attempt: AttemptRow, to: ClaimBuildOptions): Promise<AttemptRow> {
  if (attempt.state === 'validation_queued') {
    await transition(trx, {
      table: 'build_attempts',
      machine: buildAttemptMachine,
      id: attempt.id,
      companyId: attempt.company_id,
      to: 'validating',
    })
  }
  return trx
    .updateTable('build_attempts')
    .set({
      worker: to.worker,
      lease_until: leaseEnd(to.leaseMs),
      fence: attempt.fence + 1,
      unreturned_claims: attempt.unreturned_claims + 1,
      started_at: sql`coalesce(started_at, now())`,
    })
    .where('id', '=', attempt.id)
    .where('company_id', '=', attempt.company_id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The version keeps its image columns until the sweep removes the image. */
const workersLost = (attempt: AttemptRow): AttemptEnding => {
  const version = { to: 'retryable_failed' } as const
  return isCancelling(attempt.state)
    ? { state: 'cancelled', errorCode: 'tenant_cancel', version }
    : { state: 'platform_failed', errorCode: 'platform_failed', errorDetail: 'worker_lost', version }
}

/** Releases the claims of `worker` in an orderly stop: the next claim finds them at once, and none counts as lost. */
export async function returnClaims(db: Database, worker: string): Promise<void> {
  await db
    .updateTable('build_attempts')
    .set({
      lease_until: null,
      unreturned_claims: sql<number>`greatest(unreturned_claims - 1, 0)`,
    })
    .where('worker', '=', worker)
    .where('terminal_at', 'is', null)
    .modifyEnd(acrossCompanies('a worker releases its claims'))
    .where('lease_until', 'is not', null)
    .execute()
}

/** Releases the leases that `worker` holds by name but does not know (not in `active`), so that the next claim finds them at once. */
export async function releaseLeases(db: Database, worker: string, active: readonly string[]): Promise<void> {
  await db
    .updateTable('build_attempts')
    .set({ lease_until: null })
    .where('worker', '=', worker)
    .where('terminal_at', 'is', null)
    .where(sql<boolean>`id <> all(${active}::text[])`)
    .modifyEnd(acrossCompanies('a worker releases its claims'))
    .execute()
}
