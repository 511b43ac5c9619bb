import { type RawBuilder, sql } from 'kysely'
import { buildMemoryMib, mibOf } from '../builds/promised-memory-statement.ts'
import { memoryByProfile, type RunPlaces, shortRunSeconds } from './run-places.ts'

/*
 * Parts of the statement that claims a run: what the machine has left, and which run may have it.
 *
 *   places   A company that has a run gets no other one of the reserved places. Those are for the first run of a company,
 *            the last of them for a short one. So no company takes all of them, however long its runs are.
 *   bound    Runs over the operator's bound of their company's timeouts start one at a time.
 *   memory   What all that runs was promised is never more than there is, with a part kept for the first short run of a
 *            company, and one for a build. What was promised counts, not what is used.
 *   turn     A run that lacks memory does not wait for ever behind smaller ones. Of the company whose turn it is, the
 *            oldest such run has a reservation: until the time by which enough has ended for it, others start only if
 *            they end before that time or leave enough beside it (EASY backfilling). The time is known from deadlines,
 *            so runs of a week keep the memory that they have, and no more than that.
 *
 * The numbers are part of the text: they are the same for all claims of a worker, and the planner has nothing to guess.
 */

/** No company's timeouts are above it. */
const noBoundSeconds = 2_147_483_647
/** A run may need longer than its deadline until its place is free. */
const endingSeconds = 30
/** The longest build profile's. */
const buildEndsAfter = sql`interval '1 hour'`

/** What a run counts for, in MiB, by the column that has its profile. */
export const runMemoryMib = (places: RunPlaces, column: string): RawBuilder<number> =>
  mibOf(column, memoryByProfile(places))

/** `live`: runs that have a place; `building`: builds under way; `held`: what both have of the machine. */
export const heldNow = (places: RunPlaces): RawBuilder<unknown> => sql`
    live as materialized (
      select company_id, chatroom_id, timeout_seconds, claimed_at, ${runMemoryMib(places, 'resource_profile')} as memory,
        coalesce(claimed_at, now()) + make_interval(secs => timeout_seconds + ${sql.lit(endingSeconds)}) as ends_at
      from runs where state in ('starting', 'running', 'cancel_requested')
    ), building as materialized (
      select ${buildMemoryMib('build_profile')} as memory, greatest(started_at + ${buildEndsAfter}, now()) as ends_at
      from build_attempts where worker is not null and terminal_at is null
    ), held as materialized (
      select (select count(*) from live) as runs,
        (select coalesce(sum(memory), 0) from live)
          + greatest((select coalesce(sum(memory), 0) from building), ${sql.lit(places.buildMemoryMib)}) as memory
    )`

/** Places that are not for companies which have one: nothing more of `busy` ones starts. */
export const hasOrdinaryPlace = ({ slots, reserved }: RunPlaces): RawBuilder<boolean> =>
  sql<boolean>`(select runs from held) < ${sql.lit(slots - reserved)}`

export const hasPlace = ({ slots }: RunPlaces): RawBuilder<boolean> =>
  sql<boolean>`(select runs from held) < ${sql.lit(slots)}`

/**
 * `reservation`: the run that lacks memory and whose turn it is, of the companies in `waiting`; `room_for_it`: when it has
 * enough at last, and what is free beside it then.
 */
export const reservation = (places: RunPlaces): RawBuilder<unknown> => {
  const mine = sql.lit(places.memoryMib - places.reservedMemoryMib)
  return sql`
    reservation as materialized (
      select larger.id, larger.queued_at, larger.memory
      from (select * from waiting order by live, served_at nulls first, since, company_id) waiting
      cross join lateral (
        select id, queued_at, ${runMemoryMib(places, 'resource_profile')} as memory from runs
        where state = 'queued' and company_id = waiting.company_id and resource_profile <> 'standard'
        order by queued_at, id limit 1
      ) larger
      where (select memory from held) + larger.memory > ${mine}
        -- Where all that may be asked for fits, nobody's queue is looked at.
        and (select memory from held) + ${sql.lit(Math.max(...memoryByProfile(places).map(([, mib]) => mib)))} > ${mine}
      limit 1
    ), room_for_it as materialized (
      select reservation.id, reservation.queued_at, ended.ends_at,
        ${mine} - (select memory from held) + ended.memory - reservation.memory as beside
      from reservation cross join lateral (
        select ends_at, memory from (
          select ends_at, sum(memory) over (order by ends_at) as memory
          from (select ends_at, memory from live union all select ends_at, memory from building) holders
        ) ending
        where ${mine} - (select memory from held) + ending.memory >= reservation.memory
        order by ends_at limit 1
      ) ended
    )`
}

/** Condition on the `head` of a queue of the company in `turns`: it may start now. */
export const admits = (places: RunPlaces): RawBuilder<boolean> => {
  const isShort = sql`head.timeout_seconds <= ${sql.lit(shortRunSeconds)}`
  const isFirst = sql`turns.live = 0`
  const isSmallFirst = sql`(${isFirst} and ${isShort} and head.resource_profile = 'standard')`
  const { slots, reservedForShort, memoryMib, reservedMemoryMib } = places
  return sql<boolean>`
    (${isShort} or (select runs from held) < ${sql.lit(slots - reservedForShort)})
    and (turns.over_bound = 0 or head.timeout_seconds <= coalesce(
      (select run_timeout_bound_seconds from company_settings own where own.company_id = turns.company_id),
      ${sql.lit(noBoundSeconds)}))
    and (select memory from held) + head.memory
      <= ${sql.lit(memoryMib)} - case when ${isSmallFirst} then 0 else ${sql.lit(reservedMemoryMib)} end
    and not exists (
      select from room_for_it
      where room_for_it.id <> head.id
        and now() + make_interval(secs => head.timeout_seconds + ${sql.lit(endingSeconds)}) > room_for_it.ends_at
        and head.memory > room_for_it.beside
        and not (${isSmallFirst} and head.memory + (
          select coalesce(sum(memory), 0) from live where claimed_at > room_for_it.queued_at
        ) <= ${sql.lit(reservedMemoryMib)})
    )`
}

/** Runs of a company that are over its bound, of those in `live`. */
export const overBound = sql<number>`
  count(*) filter (where live.timeout_seconds > coalesce(own.run_timeout_bound_seconds, ${sql.lit(noBoundSeconds)}))`
