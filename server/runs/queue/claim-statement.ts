import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { type RawBuilder, sql } from 'kysely'
import type { TransitionSpec } from '../../db/transition.ts'
import type { Driver } from '../../work/heartbeat-statement.ts'
import { claimed, leaseSeconds } from '../model/run-transitions.ts'

/* Parts of the statements that claim runs, one (`claim-store.ts`) or several (`claim-batch-store.ts`). */

/** Recursive CTE `queues`: the rooms and lanes in which runs of the company in `turns` wait. */
export const companyQueues = sql`queues as (
    (select chatroom_id, lane from runs where state = 'queued' and not waits_for_session and company_id = turns.company_id
      order by chatroom_id, lane limit 1)
    union all
    select further.* from queues
    cross join lateral (
      select chatroom_id, lane from runs
      where state = 'queued' and not waits_for_session and company_id = turns.company_id
        and (chatroom_id, lane) > (queues.chatroom_id, queues.lane)
      order by chatroom_id, lane limit 1
    ) further
  )`

/** When a run of the room was last claimed. */
export const lastServed = (room: RawBuilder<unknown>): RawBuilder<unknown> => sql`
      select claimed_at from runs where chatroom_id = ${room} and claimed_at is not null
      order by claimed_at desc limit 1`

/**
 * The oldest runs of a row of `queues`, with further columns. The limit is part of the statement's text: with a parameter as limit
 * Postgres would expect a tenth of the queue and plan again at each claim.
 */
export const headsOfQueue = (limit: number, columns: RawBuilder<unknown> = sql``): RawBuilder<unknown> => sql`
      select id, queued_at, timeout_seconds${columns}
      from runs
      where state = 'queued' and not waits_for_session
        and company_id = turns.company_id and chatroom_id = queues.chatroom_id
        and lane = queues.lane
      order by queued_at, id limit ${sql.lit(limit)}`

/** Locks the run with this id, or returns no row if another worker has it. Its state is that of the locked row. */
export const lockedRun = (id: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select r.id, r.company_id, r.state, r.waits_for_session from runs r where r.id = ${id} limit 1 for update skip locked`

/** Condition on a row of `lockedRun`: it still waits for a claim. */
export const stillWaits = sql<boolean>`run.state = 'queued' and not run.waits_for_session`

/**
 * Keys of the advisory locks of turns. Of several claims that serve a company at the same time one moves its turn; the
 * others neither wait nor move it. A row lock with `skip locked` is not enough: where the row was updated between the
 * snapshot and the lock, Postgres follows it to its new version and waits there, and two claims then wait for each other.
 */
const turnLock = 7205

/** Condition on a company: this claim, of those that serve it, moves its turn. */
export const isServing = sql<boolean>`pg_try_advisory_xact_lock(${sql.lit(turnLock)}, hashtext(company_id))`

/** The transition of a run that a worker claims for its executor. */
export const claimMove = ({ executor, worker }: Driver): TransitionSpec<RunState> => ({
  ...claimed,
  set: {
    fence: sql`t.fence + 1`,
    // A new sandbox id for each claim: an id that never started is forbidden permanently.
    sandbox_id: sql`t.id || '_' || (t.fence + 1)`,
    executor,
    worker,
    claimed_at: sql`clock_timestamp()`,
    lease_until: sql`now() + make_interval(secs => t.timeout_seconds + ${leaseSeconds(0)})`,
  },
})

/** How long a run of `moved` waited, in milliseconds. */
export const waitedMs = sql<number>`(extract(epoch from moved.claimed_at - moved.queued_at) * 1000)::float8`
