import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database } from '../db/database.ts'
import { executePlannedOnce } from '../db/planned-once.ts'
import { moved } from '../db/transition.ts'
import {
  admits,
  hasOrdinaryPlace,
  hasPlace,
  heldNow,
  overBound,
  reservation,
  runMemoryMib,
} from './admission-store.ts'
import { dropIdleTurns } from './queue-turn-store.ts'
import { claimed, leaseSeconds } from './run-moves.ts'
import type { RunPlaces } from './run-places.ts'

/** A run in the hands of one worker: every later write carries the fence. */
export interface ClaimedRun {
  id: string
  companyId: string
  state: RunState
  fence: number
  /** What the executor knows this claim by. */
  sandboxId: string
}

/** A run that was taken over. */
export interface TakenRun extends ClaimedRun {
  /** This machine claimed it, so its executor knows whether it was started. */
  claimedHere: boolean
}

/** A run as it was just claimed. */
export interface NextRun extends ClaimedRun {
  /** Nothing else was queued then; whatever is queued later is told. */
  isLast: boolean
}

export interface ClaimOptions {
  /** The id of its machine. */
  worker: string
  /** Live runs of one company, at most, where its operator has set no other number. */
  companyConcurrency: number
  /** What all companies share. */
  places: RunPlaces
}

/**
 * Heads tried per room and lane, so that workers that claim at once do not all meet at the same row. Part of the statement's
 * text: with a limit that it does not know Postgres would expect a tenth of the queue and plan anew at each claim.
 */
const headsPerLane = 4

/**
 * Turns of companies without live runs that a claim tries at once; the others that wait are as few as the live runs. Where
 * these give nothing it tries twice as many each time, so that there are few texts of the statement.
 */
const turnsTried = 64

/**
 * Claims the next run in its turn: of the company with the fewest live runs, then the one that was served longest
 * ago; in it of the room by the same rule; in that the oldest, of those that may start now (`admission-store.ts`).
 * Undefined when nothing may.
 *
 * The companies that wait stand in `queue_turns` in the order in which they were served, and only the rooms of the
 * company that is served are walked, along a narrow index, with the runs of a room by what they need: the cost follows
 * neither the number of companies nor that of runs. A run is read by its id alone, in the order of the turns, until one is
 * found that no other worker is about to take: asked for more at once, Postgres may walk the queue. Two workers that claim
 * at the same instant may each count the other's run out, so a bound may be passed by the number of workers less one.
 */
export async function claimNext(db: Database, options: ClaimOptions): Promise<NextRun | undefined> {
  for (let skipped = 0; ; ) {
    const tried = Math.max(skipped, turnsTried)
    const { run, passedOver } = await claimInTurn(db, options, { skipped, tried })
    const dropped = await dropIdleTurns(db, passedOver)
    if (run) return run
    if (dropped > 0) continue
    // Nothing of these may start now; somebody behind them may have what fits.
    if (passedOver.length < tried) return undefined
    skipped += tried
  }
}

interface Claim {
  run: NextRun | undefined
  /** Companies whose turn was before, and who gave nothing. */
  passedOver: string[]
}

interface ClaimedRow extends Omit<NextRun, 'id'> {
  passed_over: string[]
  /** Null where nothing was claimed. */
  id: string | null
}

/** The first run of the company in `turns` that may start now and that no other worker is about to take. */
const startable = (places: RunPlaces) => sql`
  with recursive queues as (
    (select chatroom_id, lane from runs where state = 'queued' and company_id = turns.company_id
      order by chatroom_id, lane limit 1)
    union all
    select further.* from queues
    cross join lateral (
      select chatroom_id, lane from runs
      where state = 'queued' and company_id = turns.company_id
        and (chatroom_id, lane) > (queues.chatroom_id, queues.lane)
      order by chatroom_id, lane limit 1
    ) further
  ), heads as (
    select head.id, head.queued_at, served.claimed_at as room_served_at,
      (select count(*) from live where company_id = turns.company_id and chatroom_id = queues.chatroom_id)
        as room_live
    from queues
    left join lateral (
      select claimed_at from runs where chatroom_id = queues.chatroom_id and claimed_at is not null
      order by claimed_at desc limit 1
    ) served on true
    cross join lateral (
      select id, queued_at, timeout_seconds, resource_profile,
        ${runMemoryMib(places, 'resource_profile')} as memory
      from runs
      where state = 'queued' and company_id = turns.company_id and chatroom_id = queues.chatroom_id
        and lane = queues.lane
      order by queued_at, id limit ${sql.lit(headsPerLane)}
    ) head
    where ${admits(places)}
  )
  select run.id, run.company_id from (
    select id from heads order by room_live, room_served_at nulls first, queued_at, id
  ) heads cross join lateral (
    select r.id, r.company_id, r.state from runs r where r.id = heads.id limit 1 for update skip locked
  ) run
  where run.state = 'queued'
  limit 1`

async function claimInTurn(
  db: Database,
  options: ClaimOptions,
  turns: { skipped: number; tried: number },
): Promise<Claim> {
  const { worker, companyConcurrency, places } = options
  const move = moved(
    {
      ...claimed,
      set: {
        fence: sql`t.fence + 1`,
        // Another name each time: one that never started is forbidden for ever.
        sandbox_id: sql`t.id || '_' || (t.fence + 1)`,
        worker,
        machine: worker,
        claimed_at: sql`clock_timestamp()`,
        lease_until: sql`now() + make_interval(secs => t.timeout_seconds + ${leaseSeconds(0)})`,
      },
    },
    { id: sql`(select id from next)`, companyId: sql`(select company_id from next)` },
  )
  const statement = sql<ClaimedRow>`${acrossCompanies('the claim serves companies in turn')}
    with ${heldNow(places)}, busy as (
      select live.company_id, count(*) as runs, ${overBound} as over_bound, own.run_concurrency_limit
      from live left join company_settings own using (company_id)
      group by live.company_id, own.run_concurrency_limit
    ), waiting as materialized (
      (select company_id, 0 as live, 0 as over_bound, served_at, since from queue_turns
        where not exists (select from busy where busy.company_id = queue_turns.company_id) and ${hasPlace(places)}
        order by served_at nulls first, since limit ${turns.tried} offset ${turns.skipped})
      union all
      select company_id, busy.runs, busy.over_bound, served_at, since from busy join queue_turns using (company_id)
      where busy.runs < coalesce(run_concurrency_limit, ${companyConcurrency}) and ${hasOrdinaryPlace(places)}
    ), turns as (
      select company_id, live, over_bound,
        row_number() over (order by live, served_at nulls first, since, company_id) as turn
      from waiting
    ), ${reservation(places)}, next as (
      select head.*, turns.turn from (select * from turns order by turn) turns
      cross join lateral (
        ${startable(places)}
      ) head
      limit 1
    ), served as (
      update queue_turns set served_at = clock_timestamp()
      where company_id in (
        select company_id from queue_turns where company_id = (select company_id from next)
        for no key update skip locked
      )
    ), ${move}
    select moved.id, moved.company_id as "companyId", moved.state, moved.fence, moved.sandbox_id as "sandboxId", array(
      select company_id from turns where next.turn is null or turns.turn < next.turn
    ) as passed_over, (
      select count(*) from (select from runs where state = 'queued' order by company_id, queued_at, id limit 2) queued
    ) < 2 as "isLast"
    from (select) one left join next on true left join moved on true
  `
  const [row] = await executePlannedOnce(db, statement)
  if (!row) throw new Error('a claim is without an answer')
  const { passed_over: passedOver, id, ...run } = row
  return { run: id === null ? undefined : { ...run, id }, passedOver }
}

/**
 * Takes over the runs that are this worker's and not among those it knows of, or those whose worker let its lease run out.
 * The fence moves on, so that nothing an earlier holder still tries can reach them. The machine that claimed a run stays
 * with it; one that names none was claimed before machines had ids, when a database had one.
 */
export async function takeOver(
  db: Database,
  worker: string,
  owned: 'own' | 'expired',
  known: readonly string[] = [],
): Promise<TakenRun[]> {
  const which =
    owned === 'own'
      ? sql`(worker = ${worker} or machine is null)`
      : sql`lease_until < now() and worker <> ${worker}`
  const { rows } = await sql<TakenRun>`${acrossCompanies('a worker takes over runs of all companies')}
    update runs set fence = fence + 1, worker = ${worker}, machine = coalesce(machine, ${worker}),
      lease_until = now() + make_interval(secs => timeout_seconds + ${leaseSeconds(0)})
    where id in (
      select id from runs where terminal_at is null and worker is not null and sandbox_id is not null and ${which}
        and id <> all(${known}::text[])
      order by id for update skip locked
    )
    returning id, company_id as "companyId", state, fence, sandbox_id as "sandboxId",
      machine = ${worker} as "claimedHere"
  `.execute(db)
  return rows
}

/** Of these runs, the ones whose end was asked for. */
export async function cancelRequestedAmong(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a worker asks for the runs in its hands')}
    select id from runs where id = any(${ids}) and state = 'cancel_requested'
  `.execute(db)
  return rows.map((row) => row.id)
}

/** Of these sandboxes, the ones of no live run: what they left has been stored, or nobody waits for it. */
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
