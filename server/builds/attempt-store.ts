import { activeBuildLimitDefault, errorDetailMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { FailedInstruction } from '@sandbox-jobs/contract/resources/build-details.ts'
import { type BuildErrorCode, buildFailures } from '@sandbox-jobs/contract/resources/build-failure.ts'
import {
  type BuildAttemptState,
  buildAttemptMachine,
} from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database, Executing, Trx } from '../db/database.ts'
import type { BuildAttemptsTable } from '../db/tables/environments.ts'
import { transition } from '../db/transition.ts'
import { noImage } from '../environments/failed-images.ts'
import { moveVersion, type VersionMove } from '../environments/version-moves.ts'
import type { BuildSlots } from './build-slots.ts'
import { buildMemoryMib, promisedMemoryMib } from './promised-memory-statement.ts'
import { agoOf, type EnteredStage, endStage, enterStages } from './stage-store.ts'

/*
 * Claims of build attempts, and what a worker writes under one.
 *
 * An attempt belongs to the worker that claimed it, under the fence of that claim. The claim holds as long as
 * its lease is renewed; an attempt whose lease ran out is given to the next worker under a higher fence, in the
 * state it was left in, and from then on every write of the former worker finds nothing to change.
 * A tenant's cancel turns the state to `cancel_requested` under the worker's hands: its next write then changes
 * nothing and is answered `cancel_requested`, and the attempt can only end as `cancelled`.
 * A move of the version is made in the transaction of the attempt's, so neither is seen without the other.
 */

export type AttemptRow = Selectable<BuildAttemptsTable>

/** Who writes: an attempt and the fence under which it was claimed. */
export type Claimed = Pick<AttemptRow, 'id' | 'company_id' | 'fence' | 'environment_version_id'>

/** `lost`: another worker has the attempt, or it has ended. */
export type WriteOutcome = 'done' | 'cancel_requested' | 'lost'

/** An attempt that took so many workers down with it is not given to another one; an orderly stop counts for none. */
export const claimsMax = 5

export interface ClaimBuildOptions {
  worker: string
  leaseMs: number
  /** What all companies share. */
  share: BuildSlots
}

/**
 * Claims what is to be worked on next: an attempt whose worker is gone, else the oldest waiting one that its company and
 * the machine have a slot and memory for, of the company with the fewest builds under way, then the one that was served
 * least recently. A company that has a build gets none of the reserved slots. A waiting attempt is `validating` then; one
 * that was taken over is in the state in which its worker left it.
 */
export async function claimNextAttempt(db: Database, by: ClaimBuildOptions): Promise<AttemptRow | undefined> {
  if (!(await isAnyClaimable(db))) return undefined
  return db.transaction().execute(async (trx) => {
    // One claim at a time, or two would count the same free place of a company.
    await sql`select pg_advisory_xact_lock(hashtextextended('build-claims', 0))`.execute(trx)
    let next = await lockNextAttempt(trx, by.share)
    while (next && next.unreturned_claims >= claimsMax) {
      await endLocked(trx, next, workersLost(next))
      next = await lockNextAttempt(trx, by.share)
    }
    return next && giveAttempt(trx, next, by)
  })
}

/** Whether a claim may find anything: most looks do not, and need no lock for it. */
async function isAnyClaimable(db: Database): Promise<boolean> {
  const { rows } = await sql`${acrossCompanies('the look of a worker for anything to claim')}
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

async function giveAttempt(trx: Trx, attempt: AttemptRow, to: ClaimBuildOptions): Promise<AttemptRow> {
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

/** Its version keeps what it knows of an image until that is swept away. */
const workersLost = (attempt: AttemptRow): AttemptEnding => {
  const version = { to: 'retryable_failed' } as const
  return isCancelling(attempt.state)
    ? { state: 'cancelled', errorCode: 'tenant_cancel', version }
    : { state: 'platform_failed', errorCode: 'platform_failed', errorDetail: 'worker_lost', version }
}

/** Prolongs the claim, also after a cancel, so that the worker can tear down. */
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

/** How far a chain has come since it was last told. Each list is in its order. */
export interface AttemptProgress {
  stages?: readonly EnteredStage[]
  states?: readonly BuildAttemptState[]
  /** Further columns of the attempt. */
  set?: AttemptColumns
  /** Writes what the steps leave beside the attempt, and answers the columns that lead there. */
  leave?: (trx: Trx) => Promise<AttemptColumns>
  version?: VersionMove
}

/** Notes progress of attempt and version together; anything but `done` has changed nothing. */
export async function advance(trx: Trx, attempt: Claimed, progress: AttemptProgress): Promise<WriteOutcome> {
  const outcome = await holdClaim(trx, attempt)
  if (outcome !== 'done') return outcome
  const { stages = [], states = [], version } = progress
  const set = await columnsOf(trx, progress)
  const to = states.at(-1)
  if (to !== undefined) await moveLocked(trx, attempt, { to, through: states.slice(0, -1), set })
  else if (Object.keys(set).length > 0) {
    await trx
      .updateTable('build_attempts')
      .set(set)
      .where('id', '=', attempt.id)
      .where('company_id', '=', attempt.company_id)
      .execute()
  }
  await enterStages(trx, attempt, stages)
  if (version) await moveItsVersion(trx, attempt, version)
  return 'done'
}

async function columnsOf(trx: Trx, { stages = [], set, leave }: AttemptProgress) {
  const last = stages.at(-1)
  return {
    ...set,
    ...(await leave?.(trx)),
    ...(last && { stage_code: last.stage, stage_since: agoOf(last) }),
  }
}

export type AttemptEnding =
  | { state: 'completed'; version: VersionMove }
  | {
      state: 'customer_failed' | 'platform_failed' | 'cancelled'
      errorCode: BuildErrorCode
      /** Slugs joined with `;`, cut between two of them to the bound of the field. */
      errorDetail?: string
      instruction?: FailedInstruction | undefined
      /** Default: where the contract sends a version after `errorCode`, without an image. */
      version?: VersionMove
    }

/**
 * Ends attempt and build of the version together, with the progress `before` that was not told yet. After a tenant's cancel
 * only `cancelled` is taken, and nothing is told but the end.
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

/** How an attempt ended; undefined while it has not. */
export async function findAttemptEnd(db: Executing, id: string): Promise<AttemptEnd | undefined> {
  return db
    .selectFrom('build_attempts')
    .modifyFront(acrossCompanies('the operator waits for a curated build'))
    .select(['state', 'error_code', 'error_detail'])
    .where('id', '=', id)
    .where('terminal_at', 'is not', null)
    .executeTakeFirst()
}

/** Ends an attempt whose row the caller has locked. A cancel passes each of its states. */
export async function endLocked(
  trx: Trx,
  attempt: Pick<AttemptRow, 'id' | 'company_id' | 'environment_version_id'>,
  ending: AttemptEnding,
  before: AttemptProgress = {},
): Promise<void> {
  const { stages = [], states = [] } = before
  const failed = ending.state === 'completed' ? undefined : ending
  await moveLocked(trx, attempt, {
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
  if (version) await moveItsVersion(trx, attempt, joined(before.version, version))
}

/** Two moves of one row as one. */
const joined = (first: VersionMove | undefined, second: VersionMove): VersionMove =>
  first
    ? {
        ...second,
        through: [...(first.through ?? []), first.to, ...(second.through ?? [])],
        set: { ...first.set, ...second.set },
      }
    : second

async function moveLocked(
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
  mustMove(left, id, move.to)
}

async function moveItsVersion(
  trx: Trx,
  attempt: Pick<AttemptRow, 'company_id' | 'environment_version_id'>,
  move: VersionMove,
): Promise<void> {
  const id = attempt.environment_version_id
  mustMove(await moveVersion(trx, { id, company_id: attempt.company_id }, move), id, move.to)
}

function mustMove(left: string | undefined, id: string, to: string): void {
  if (left === undefined) throw new Error(`${id} may not move to ${to}`)
}

/** Holds the attempt until the transaction ends, if the claim is still good. */
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
