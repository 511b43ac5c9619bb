import { activeBuildLimitDefault, errorDetailMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { type BuildErrorCode, buildFailures } from '@sandbox-jobs/contract/resources/builds/build-failure.ts'
import {
  type BuildAttemptState,
  buildAttemptMachine,
} from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import type { BuildAttemptsTable } from '../../db/tables/environments.ts'
import { transition } from '../../db/transition.ts'
import { noImage } from '../../environments/retention/failed-images.ts'
import { transitionVersion, type VersionTransition } from '../../environments/versions/version-transitions.ts'
import type { BuildSlots } from '../admission/build-slots.ts'
import { buildMemoryMib, promisedMemoryMib } from '../admission/promised-memory-statement.ts'
import { type EnteredStage, endStage, enteredAt, enterStages } from './stage-store.ts'

/*
 * Claims of build attempts, and the writes of a worker under a claim.
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

/** After this many claims whose worker died, the attempt is not claimed again. An orderly stop does not count. */
export const claimsMax = 5

export interface ClaimBuildOptions {
  worker: string
  leaseMs: number
  /** Capacity that all companies share. */
  share: BuildSlots
}

/**
 * Claims the next attempt: first one whose lease expired, else the oldest waiting attempt for which company and machine
 * have a slot and memory, from the company with the fewest running builds, then from the one served least recently.
 * A company with a running build gets no reserved slot. A waiting attempt becomes `validating`; one that is taken over
 * keeps its state.
 */
export async function claimNextAttempt(db: Database, by: ClaimBuildOptions): Promise<AttemptRow | undefined> {
  if (!(await isAnyClaimable(db))) return undefined
  return db.transaction().execute(async (trx) => {
    // One claim at a time, or two would count the same free slot of a company.
    await sql`select pg_advisory_xact_lock(hashtextextended('build-claims', 0))`.execute(trx)
    let next = await lockNextAttempt(trx, by.share)
    while (next && next.unreturned_claims >= claimsMax) {
      await endLocked(trx, next, workersLost(next))
      next = await lockNextAttempt(trx, by.share)
    }
    return next && assignAttempt(trx, next, by)
  })
}

/** Whether a claim may find anything. Most polls find nothing, and this query needs no lock. */
async function isAnyClaimable(db: Database): Promise<boolean> {
  const { rows } = await sql`${acrossCompanies('a worker polls for anything to claim')}
    select from build_attempts where terminal_at is null and (state = 'validation_queued' or lease_until < now()) limit 1
  `.execute(db)
  return rows.length > 0
}

async function lockNextAttempt(trx: Trx, share: BuildSlots): Promise<AttemptRow | undefined> {
  const { slots, reserved, memoryMib } = share
  const { rows } = await sql<AttemptRow>`${acrossCompanies('the claim serves companies in turn')}
    with held as materialized (
      select builds.slots, builds.memory + (
        select coalesce(sum(${promisedMemoryMib('resource_profile')}), 0) from runs
        where state in ('starting', 'running', 'cancel_requested')
      ) as memory
      from (
        select count(*) as slots, coalesce(sum(${buildMemoryMib('build_profile')}), 0) as memory
        from build_attempts where terminal_at is null and worker is not null
      ) builds
    )
    select a.* from build_attempts a cross join held
    left join company_settings s on s.company_id = a.company_id
    cross join lateral (
      select count(*) as active from build_attempts b
      where b.company_id = a.company_id and b.terminal_at is null and b.worker is not null
    ) busy
    cross join lateral (
      select max(b.started_at) as at from build_attempts b
      where b.company_id = a.company_id and b.started_at is not null
    ) served
    where a.terminal_at is null
      and ((a.worker is not null and a.lease_until < now())
        or (a.state = 'validation_queued' and busy.active < coalesce(s.active_build_limit, ${activeBuildLimitDefault}::int)
          and held.slots < ${sql.lit(slots)} - case when busy.active = 0 then 0 else ${sql.lit(reserved)} end
          and held.memory + least(${buildMemoryMib('a.build_profile')}, ${sql.lit(memoryMib)}) <= ${sql.lit(memoryMib)}))
    order by a.worker is null, busy.active, served.at nulls first, a.queued_at, a.id
    limit 1
    for update of a skip locked
  `.execute(trx)
  return rows[0]
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

export type AttemptColumns = Partial<
  Pick<AttemptRow, 'raw_upload_digest' | 'canonical_digest' | 'report_object_id' | 'sbom_object_id'>
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
  const outcome = await holdClaim(trx, attempt)
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

async function columnsOf(trx: Trx, { stages = [], set, write }: AttemptProgress) {
  const last = stages.at(-1)
  return {
    ...set,
    ...(await write?.(trx)),
    ...(last && { stage_code: last.stage, stage_since: enteredAt(last) }),
  }
}

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
  const outcome = await holdClaim(trx, attempt)
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

async function transitionLocked(
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

async function transitionVersionOf(
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
export async function holdClaim(trx: Trx, attempt: Claimed): Promise<WriteOutcome> {
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

const isCancelling = (state: string): boolean => state === 'cancel_requested' || state === 'cancelling'

const leaseEnd = (leaseMs: number) => sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`

function boundSlugs(detail: string): string {
  if (detail.length <= errorDetailMaxLength) return detail
  return detail.slice(0, detail.lastIndexOf(';', errorDetailMaxLength)).slice(0, errorDetailMaxLength)
}
