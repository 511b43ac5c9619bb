import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { transition } from '../db/transition.ts'
import { claimed, leaseSeconds, sandboxIdOf } from './run-moves.ts'

/** A run in the hands of one worker: every later write carries the fence. */
export interface ClaimedRun {
  id: string
  companyId: string
  state: RunState
  fence: number
  /** What the executor knows this claim by. */
  sandboxId: string
}

export interface ClaimOptions {
  worker: string
  /** Live runs of one company, at most. */
  companyConcurrency: number
}

/**
 * Heads tried per room, so that workers that claim at once do not all meet at the same row. Part of the statement's
 * text: with a limit that it does not know Postgres would expect a tenth of the queue and plan anew at each claim.
 */
const headsPerRoom = 4

/**
 * Claims the next run in its turn: of the company with the fewest live runs, then the one that was served longest
 * ago; in it of the room by the same rule; in that the oldest. Undefined when nothing may start.
 *
 * The queue is walked room by room along a narrow index, so the cost follows the number of rooms that wait, not that of
 * their runs. Rows that another worker is about to take are passed over. Two workers that claim at the same instant
 * may each count the other's run out, so a company can be over its bound by the number of workers less one.
 */
export async function claimNext(db: Database, options: ClaimOptions): Promise<ClaimedRun | undefined> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string; company_id: string; fence: number; timeout_seconds: number }>`
      with recursive rooms as (
        (select company_id, chatroom_id from runs where state = 'queued' order by company_id, chatroom_id limit 1)
        union all
        select next.company_id, next.chatroom_id from rooms
        cross join lateral (
          select r.company_id, r.chatroom_id from runs r
          where r.state = 'queued' and (r.company_id, r.chatroom_id) > (rooms.company_id, rooms.chatroom_id)
          order by r.company_id, r.chatroom_id limit 1
        ) next
      ), live as (
        select company_id, chatroom_id, count(*) as runs from runs
        where state in ('starting', 'running', 'cancel_requested') group by company_id, chatroom_id
      ), companies as (
        select waiting.company_id, coalesce(busy.runs, 0) as live, served.claimed_at as served_at
        from (select distinct company_id from rooms) waiting
        left join (select company_id, sum(runs) as runs from live group by company_id) busy using (company_id)
        left join lateral (
          select claimed_at from runs r where r.company_id = waiting.company_id and claimed_at is not null
          order by claimed_at desc limit 1
        ) served on true
        where coalesce(busy.runs, 0) < ${options.companyConcurrency}
      ), heads as (
        select head.id, head.queued_at, companies.live as company_live, companies.served_at as company_served_at,
          coalesce(live.runs, 0) as room_live, served.claimed_at as room_served_at
        from rooms
        join companies using (company_id)
        left join live using (company_id, chatroom_id)
        left join lateral (
          select claimed_at from runs r where r.chatroom_id = rooms.chatroom_id and claimed_at is not null
          order by claimed_at desc limit 1
        ) served on true
        cross join lateral (
          select q.id, q.queued_at from runs q
          where q.state = 'queued' and q.company_id = rooms.company_id and q.chatroom_id = rooms.chatroom_id
          order by q.queued_at, q.id limit ${sql.lit(headsPerRoom)}
        ) head
      )
      select r.id, r.company_id, r.fence, r.timeout_seconds
      from heads join runs r on r.id = heads.id
      where r.state = 'queued'
      order by company_live, company_served_at nulls first, room_live, room_served_at nulls first,
        heads.queued_at, heads.id
      limit 1
      for update of r skip locked
    `.execute(trx)
    const [next] = rows
    if (!next) return undefined
    const fence = next.fence + 1
    const sandboxId = sandboxIdOf({ id: next.id, fence })
    const left = await transition(trx, {
      ...claimed(next),
      set: {
        fence,
        sandbox_id: sandboxId,
        worker: options.worker,
        claimed_at: sql`clock_timestamp()`,
        lease_until: sql`now() + make_interval(secs => ${leaseSeconds(next.timeout_seconds)})`,
      },
    })
    if (left === undefined) return undefined
    return { id: next.id, companyId: next.company_id, state: 'starting', fence, sandboxId }
  })
}

/**
 * Takes over the runs that are this worker's and not among those it knows of, or those whose worker let its lease run out.
 * The fence moves on, so that nothing an earlier holder still tries can reach them.
 */
export async function takeOver(
  db: Database,
  worker: string,
  owned: 'own' | 'expired',
  known: readonly string[] = [],
): Promise<ClaimedRun[]> {
  const which = owned === 'own' ? sql`worker = ${worker}` : sql`lease_until < now() and worker <> ${worker}`
  const { rows } = await sql<ClaimedRun>`
    update runs set fence = fence + 1, worker = ${worker},
      lease_until = now() + make_interval(secs => timeout_seconds + ${leaseSeconds(0)})
    where id in (
      select id from runs where terminal_at is null and worker is not null and sandbox_id is not null and ${which}
        and id <> all(${known}::text[])
      order by id for update skip locked
    )
    returning id, company_id as "companyId", state, fence, sandbox_id as "sandboxId"
  `.execute(db)
  return rows
}

/** Of these runs, the ones whose end was asked for. */
export async function cancelRequestedAmong(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select id from runs where id = any(${ids}) and state = 'cancel_requested'
  `.execute(db)
  return rows.map((row) => row.id)
}

/** Of these sandboxes, the ones of no live run: what they left has been stored, or nobody waits for it. */
export async function finishedAmong(db: Database, sandboxIds: readonly string[]): Promise<string[]> {
  if (sandboxIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select given.id from unnest(${sandboxIds}::text[]) as given(id)
    where not exists (
      select 1 from runs r
      where r.id = left(given.id, 36) and r.terminal_at is null and r.sandbox_id = given.id
    )
  `.execute(db)
  return rows.map((row) => row.id)
}
