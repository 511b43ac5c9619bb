import { type RawBuilder, sql } from 'kysely'
import { capacityInUse } from '../../capacity/capacity-in-use-statement.ts'
import { liveRunsOfRoom } from '../../capacity/live-runs-statement.ts'
import { memoryReservations } from '../../capacity/memory-reservation-statement.ts'
import { runMemoryMib } from '../../capacity/promised-memory-statement.ts'
import type { RunCapacity } from '../../capacity/run-capacity.ts'
import {
  busyCompanies,
  companyOrder,
  turnsTried,
  waitingCompanies,
} from '../../capacity/waiting-companies-statement.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database } from '../../db/database.ts'
import { executePlannedOnce } from '../../db/fast/planned-once.ts'
import { transitionCtes } from '../../db/transition.ts'
import { hasSteadyLease, isAbandoned } from '../../work/executor-statement.ts'
import { type Driver, hasHeartbeat } from '../../work/heartbeat-statement.ts'
import type { NextRun, TakenOverRun } from '../model/claimed-run.ts'
import { leaseSeconds } from '../model/run-transitions.ts'
import { admits, firstRuns } from './admission-store.ts'
import { type ClaimPage, claimPages, type TriedCompanies } from './claim-pages.ts'
import {
  claimMove,
  companyQueues,
  headsOfQueue,
  isServing,
  lastServed,
  lockedRun,
  stillWaits,
  waitedMs,
} from './claim-statement.ts'

export interface ClaimOptions extends Driver {
  /** Maximum live runs of one company, unless the operator has set another limit for it. */
  companyConcurrency: number
  /** Of the executor, shared by all companies. */
  capacity: RunCapacity
}

/** Runs tried per room and lane, so that concurrent workers do not all compete for the same row. */
const headsPerLane = 4

/**
 * Claims the next run in turn: the company with the fewest live runs, then the one served longest ago; in it the room by
 * the same rule; in the room the oldest run that may start now (`admission-store.ts`). Returns undefined if none may.
 *
 * `queue_turns` holds the waiting companies in the order in which they were served. Only the rooms of the company that is
 * served are read, along a narrow index, with the runs of a room by their lane. Runs at work are read as numbers, except
 * where something lacks memory or a run is above the timeout bound of its company. So the cost depends neither on the number
 * of runs, queued or at work, nor on the number of companies without runs at work.
 *
 * Runs are locked one at a time by id, in the order of the turns, until one is found that no other worker has locked: if
 * more were requested at once, Postgres might scan the queue. Two workers that claim at the same instant may each not count
 * the other's run, so a bound may be exceeded by the number of workers less one.
 */
export async function claimNext(db: Database, options: ClaimOptions): Promise<NextRun | undefined> {
  const [run] = await claimPages(db, (turns) => claimPage(db, options, turns))
  return run
}

interface ClaimedRow extends Omit<NextRun, 'id'> {
  passed_over: string[]
  /** Null if nothing was claimed. */
  id: string | null
}

/** The first run of the company in `turns` that may start now and that no other worker has locked. */
const startableRun = (capacity: RunCapacity) => sql`
  with recursive ${companyQueues}, heads as (
    select head.id, head.queued_at, served.claimed_at as room_served_at,
      ${liveRunsOfRoom(sql`turns.company_id`, sql`queues.chatroom_id`)} as room_live
    from queues
    left join lateral (${lastServed(sql`queues.chatroom_id`)}) served on true
    cross join lateral (
      ${headsOfQueue(headsPerLane, sql`, resource_profile, ${runMemoryMib(capacity, 'resource_profile')} as memory`)}
    ) head
    where ${admits(capacity)}
  )
  select run.id, run.company_id from (
    select id from heads order by room_live, room_served_at nulls first, queued_at, id
  ) heads cross join lateral (${lockedRun(sql`heads.id`)}
  ) run
  where ${stillWaits}
  limit 1`

async function claimPage(db: Database, options: ClaimOptions, turns: TriedCompanies): Promise<ClaimPage> {
  const [row] = await executePlannedOnce(db, claimStatement(options, turns))
  if (!row) throw new Error('a claim returned no row')
  const { passed_over: passedOver, id, ...run } = row
  return { runs: id === null ? [] : [{ ...run, id }], passedOver }
}

/** The statement of a claim, which docs/sql/claim.sql prints. `skipped` companies were tried by an earlier one. */
export function claimStatement(
  { executor, worker, companyConcurrency, capacity }: ClaimOptions,
  turns: TriedCompanies,
): RawBuilder<ClaimedRow> {
  const move = transitionCtes(claimMove({ executor, worker }), {
    id: sql`(select id from next)`,
    companyId: sql`(select company_id from next)`,
  })
  const isFirstPage = turns.skipped === 0
  const companies = isFirstPage ? 'waiting' : 'first_in_turn'
  const firstPage = isFirstPage
    ? sql``
    : sql`, first_in_turn as materialized (
      ${waitingCompanies({ capacity, companyConcurrency, skipped: 0, tried: turnsTried })}
    )`
  return sql<ClaimedRow>`${acrossCompanies('the claim serves companies in turn')}
    with ${capacityInUse(capacity, executor)}, ${firstRuns}, ${busyCompanies}, waiting as materialized (
      ${waitingCompanies({ capacity, companyConcurrency, ...turns })}
    )${firstPage}, turns as (
      select company_id, live, row_number() over (order by ${companyOrder}) as turn from waiting
    ), ${memoryReservations(capacity, { executor, companies })}, next as (
      select head.*, turns.turn, turns.live from (select * from turns order by turn) turns
      cross join lateral (
        ${startableRun(capacity)}
      ) head
      limit 1
    ), moved_turn as materialized (
      select company_id from next where ${isServing}
    ), served as (
      update queue_turns set served_at = clock_timestamp() where company_id = (select company_id from moved_turn)
    ), ${move}
    select moved.id, moved.company_id as "companyId", moved.state, moved.fence, moved.sandbox_id as "sandboxId",
      ${waitedMs} as "waitedMs", next.live > 0 as "isCompanyBusy", array(
      select company_id from turns where next.turn is null or turns.turn < next.turn
    ) as passed_over, (
      select count(*) from (select from runs where state = 'queued' order by company_id, queued_at, id limit 2) queued
    ) < 2 as "isLast"
    from (select) one left join next on true left join moved on true
  `
}

/** How long a worker has to end a run that it took over from another executor, before a further one takes it over. */
const lostLeaseSeconds = leaseSeconds(0)

/**
 * Takes over runs that are not in `known`. `own`: those in this worker's name, and of its executor those of workers whose heartbeat
 * has ended. `expired`: those with an expired lease of executors that nobody drives. Nobody could renew or end anything while the
 * database was away, so this worker takes none before all others had time to come back. The fence is raised, so that an earlier
 * holder can no longer change them. `executor` stays the one for which the run was claimed.
 */
export async function takeOver(
  db: Database,
  { executor, worker }: Driver,
  owned: 'own' | 'expired',
  known: readonly string[] = [],
): Promise<TakenOverRun[]> {
  const which =
    owned === 'own'
      ? sql`(worker = ${worker} or (executor = ${executor} and not ${hasHeartbeat(sql`runs.worker`)}))`
      : sql`lease_until < now() and executor <> ${executor}
          and ${hasSteadyLease(sql`${executor}`)} and ${isAbandoned(sql`runs.executor`)}`
  const lease = owned === 'own' ? sql`timeout_seconds + ${leaseSeconds(0)}` : sql`${lostLeaseSeconds}`
  const { rows } = await sql<TakenOverRun>`${acrossCompanies('a worker takes over runs of all companies')}
    update runs set fence = fence + 1, worker = ${worker}, lease_until = now() + make_interval(secs => ${lease})
    where id in (
      select id from runs where terminal_at is null and worker is not null and sandbox_id is not null and ${which}
        and id <> all(${known}::text[])
      order by id for update skip locked
    )
    returning id, company_id as "companyId", state, fence, sandbox_id as "sandboxId",
      executor = ${executor} as "claimedHere"
  `.execute(db)
  return rows
}

/** Those of the given runs that have a cancel request. */
export async function cancelRequestedAmong(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a worker queries the runs that it holds')}
    select id from runs where id = any(${ids}) and state = 'cancel_requested'
  `.execute(db)
  return rows.map((row) => row.id)
}

/** Those of the given sandboxes that belong to no live run: their results are stored or not needed. */
export async function finishedAmong(db: Database, sandboxIds: readonly string[]): Promise<string[]> {
  if (sandboxIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a sweep of sandboxes of all companies')}
    select given.id from unnest(${sandboxIds}::text[]) as given(id)
    where not exists (
      select 1 from runs r
      where r.id = left(given.id, 36) and r.terminal_at is null and r.sandbox_id = given.id
    )
  `.execute(db)
  return rows.map((row) => row.id)
}
