import { type RawBuilder, sql } from 'kysely'
import { changedLiveRuns, liveRunsOfExecutor, liveRunsOfRoom } from '../../capacity/live-runs-statement.ts'
import type { RunCapacity } from '../../capacity/run-capacity.ts'
import {
  busyCompanies,
  companyOrder,
  hasRunOverBound,
  isShort,
  waitingCompanies,
} from '../../capacity/waiting-companies-statement.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database } from '../../db/database.ts'
import { pipelinedTransaction } from '../../db/fast/pipelined-transaction.ts'
import { executePlannedOnce } from '../../db/fast/planned-once.ts'
import { transitionEachCtes } from '../../db/transition.ts'
import type { NextRun } from '../model/claimed-run.ts'
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
import type { ClaimOptions } from './claim-store.ts'

/** Sizes of batches: each is another statement, which a connection plans once. */
const sizes = [32, 16, 8, 4, 2, 1]

/** Companies and runs that are tried beyond the size of a batch, since others may hold some, who cancel them or claim for a host. */
const spare = 4

/** How long a worker may leave the others waiting for the second round trip of its batch. */
const idleMs = 5000

/**
 * Claims several runs for an executor that sets no bound on memory, in the order in which as many single claims would take them
 * (`claimNext`), and at most `most`. Returns none if none may start.
 *
 * One batch is claimed at a time, so each counts all runs of those before it: no bound is exceeded, however many workers claim
 * in batches. Only single claims for hosts, which do not wait for batches, may each add a run to a company that both count. The lock
 * ends with the transaction: that of a worker that dies at once, and that of one that is suspended after `idleMs`.
 */
export const claimBatch = (db: Database, options: ClaimOptions, most: number): Promise<NextRun[]> => {
  const size = sizes.find((one) => one <= most) ?? 1
  return claimPages(db, (turns) =>
    pipelinedTransaction(db, {
      read: (trx) => lockBatches.execute(trx),
      write: async (trx) =>
        pageOf(await executePlannedOnce(trx, batchStatement(options, { size, ...turns }))),
    }),
  )
}

/** Waits until no other batch is being claimed. */
const lockBatches = sql`
  select set_config('idle_in_transaction_session_timeout', ${`${idleMs}`}, true), pg_advisory_xact_lock(7206, 0)`

interface BatchRow {
  runs: NextRun[]
  passed_over: string[]
}

function pageOf([row]: BatchRow[]): ClaimPage {
  if (!row) throw new Error('a claim returned no row')
  return { runs: row.runs, passedOver: row.passed_over }
}

/** The statement of a batch, which docs/sql/claim-batch.sql prints. */
export function batchStatement(
  { executor, worker, companyConcurrency, capacity }: ClaimOptions,
  { size, ...turns }: TriedCompanies & { size: number },
): RawBuilder<BatchRow> {
  const tried = sql.lit(size + spare)
  return sql<BatchRow>`${acrossCompanies('the claim serves companies in turn')}
    with ${changedLiveRuns}, held as materialized (
      ${liveRunsOfExecutor(sql`${executor}`)}
    ), ${busyCompanies}, waiting as materialized (
      ${waitingCompanies({ capacity, companyConcurrency, ...turns })}
    ), turns as (
      select company_id, live, row_number() over (order by ${companyOrder}) as turn, own.run_timeout_bound_seconds,
        coalesce(own.run_concurrency_limit, ${companyConcurrency}) - live as free
      from waiting left join company_settings own using (company_id)
    ), ready as materialized (
      select turns.company_id, turns.live, turns.turn, turns.free, startable.ids, startable.shorts
      from (select * from turns order by turn) turns
      cross join lateral (
        ${startableRuns(capacity, size + spare)}
      ) startable
      where startable.ids is not null
      limit ${tried}
    ), places as (
      select run.id, ready.company_id, run.is_short, live + run.nth - 1 as live_before,
        row_number() over (order by live + run.nth, run.nth, turn) as place
      from ready cross join lateral unnest(ids, shorts) with ordinality as run (id, is_short, nth)
      where run.nth <= least(free, ${tried})
    ), locked as materialized (
      select run.id, run.company_id, picked.place, picked.live_before, picked.is_short
      from (select * from places order by place) picked
      cross join lateral (${lockedRun(sql`picked.id`)}
      ) run
      where ${stillWaits}
      limit ${sql.lit(size)}
    ), next as (
      select id, company_id, place, live_before
      from (select *, row_number() over (order by place) as nth from locked) run
      where ${fitsSlots(capacity)}
    ), ${transitionEachCtes(claimMove({ executor, worker }), sql`next`)}, moved_turn as materialized (
      select company_id from (select distinct company_id from next) companies where ${isServing}
    ), served as (
      update queue_turns set served_at = clock_timestamp() where company_id = any(array(select company_id from moved_turn))
    )
    select coalesce((
      select json_agg(json_build_object('id', moved.id, 'companyId', moved.company_id, 'state', moved.state, 'fence', moved.fence,
        'sandboxId', moved.sandbox_id, 'waitedMs', ${waitedMs}, 'isCompanyBusy', next.live_before > 0, 'isLast', queued.are_all
      ) order by next.place)
      from moved join next using (id) cross join (
        select count(*) <= (select count(*) from moved) as are_all from (
          select from runs where state = 'queued' order by company_id, queued_at, id limit ${sql.lit(size + 1)}
        ) still_queued
      ) queued
    ), '[]') as runs, array(
      select company_id from turns
      where company_id not in (select company_id from ready)
        and ((select count(*) from ready) < ${tried} or turn < (select max(turn) from ready))
    ) as passed_over
  `
}

/** Condition on a run in the order of the places: slots admit it after all those before it. */
const fitsSlots = ({ slots, reserved, reservedForShort }: RunCapacity) => sql<boolean>`
  (select runs from held) + nth <= case
    when live_before > 0 then ${sql.lit(slots - reserved)}
    when is_short then ${sql.lit(slots)}
    else ${sql.lit(slots - reservedForShort)}
  end`

/**
 * The order in which single claims would take the runs of a company: of the room with the fewest live runs, which each of its runs
 * adds to, then of the one served longest ago. Those served by this batch come after all others, in the order in which it served them.
 */
const roomOrder = sql`live + nth, nth, served_at nulls first, since, first`

/**
 * The runs of the company in `turns` that may start, in their order, and which of them are short. Of those above its timeout bound
 * there is one at most.
 */
const startableRuns = (capacity: RunCapacity, perLane: number) => sql`
  with recursive ${companyQueues}, rooms as materialized (
    select chatroom_id, ${liveRunsOfRoom(sql`turns.company_id`, sql`room.chatroom_id`)} as live,
      (${lastServed(sql`room.chatroom_id`)}) as served_at
    from (select distinct chatroom_id from queues) room
  ), heads as (
    select head.id, ${isShort('head')} as is_short, rooms.live, rooms.served_at,
      coalesce(head.timeout_seconds > turns.run_timeout_bound_seconds, false) as is_over,
      row_number() over in_room as nth, first_value(head.queued_at) over in_room as since, first_value(head.id) over in_room as first
    from queues join rooms using (chatroom_id)
    cross join lateral (
      ${headsOfQueue(perLane)}
    ) head
    where ${isShort('head')} or (select runs from held) < ${sql.lit(capacity.slots - capacity.reservedForShort)}
    window in_room as (partition by queues.chatroom_id order by head.queued_at, head.id)
  ), in_turn as (
    select id, is_short, is_over, row_number() over (order by ${roomOrder}) as nth,
      row_number() over (partition by is_over order by ${roomOrder}) as nth_alike
    from heads
  )
  select array_agg(id order by nth) as ids, array_agg(is_short order by nth) as shorts
  from in_turn
  where not is_over or (nth_alike = 1 and not (
    select ${hasRunOverBound} from (select turns.company_id, turns.run_timeout_bound_seconds) own
  ))`
