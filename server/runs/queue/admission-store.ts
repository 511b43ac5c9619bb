import { type RawBuilder, sql } from 'kysely'
import { buildMemoryMib, mibOf } from '../../capacity/promised-memory-statement.ts'
import { memoryByProfile, type RunCapacity, shortRunSeconds } from '../../capacity/run-capacity.ts'

/*
 * Parts of the statement that claims a run: the free capacity of the machine, and which run may use it.
 *
 *   slots    Reserved slots are for the first run of a company, the last of them for a short run. A company with a live
 *            run gets no reserved slot. So no company takes all slots, however long its runs are.
 *   bound    Runs above the operator's timeout bound for their company start one at a time.
 *   memory   The memory promised to all sandboxes never exceeds the machine's. A part is kept for the first short run of
 *            a company, and one for a build. Promised memory counts, not used memory.
 *   turn     A run that lacks memory does not starve behind smaller ones. The oldest such run of the company whose turn
 *            it is has a reservation: until the time at which enough memory is free for it, other runs start only if they
 *            end before that time or leave enough memory for it (EASY backfilling). The time follows from deadlines, so
 *            runs with a timeout of a week keep the memory that they have and get no more.
 *
 * The numbers are part of the statement text: they are the same for all claims of a worker, so the planner guesses nothing.
 */

/** Above every possible timeout. */
const noBoundSeconds = 2_147_483_647
/** Time after its deadline until the slot of a run is free. */
const endGraceSeconds = 30
/** Of the longest build profile. */
const buildEndsAfter = sql`interval '1 hour'`

/** Memory that a run counts for, in MiB; `column` holds its profile. */
export const runMemoryMib = (capacity: RunCapacity, column: string): RawBuilder<number> =>
  mibOf(column, memoryByProfile(capacity))

/** CTEs. `live`: runs that have a slot; `building`: active builds; `held`: the slots and memory of both. */
export const capacityInUse = (capacity: RunCapacity): RawBuilder<unknown> => sql`
    live as materialized (
      select company_id, chatroom_id, timeout_seconds, claimed_at, ${runMemoryMib(capacity, 'resource_profile')} as memory,
        coalesce(claimed_at, now()) + make_interval(secs => timeout_seconds + ${sql.lit(endGraceSeconds)}) as ends_at
      from runs where state in ('starting', 'running', 'cancel_requested')
    ), building as materialized (
      select ${buildMemoryMib('build_profile')} as memory, greatest(started_at + ${buildEndsAfter}, now()) as ends_at
      from build_attempts where worker is not null and terminal_at is null
    ), held as materialized (
      select (select count(*) from live) as runs,
        (select coalesce(sum(memory), 0) from live)
          + greatest((select coalesce(sum(memory), 0) from building), ${sql.lit(capacity.buildMemoryMib)}) as memory
    )`

/** A slot is free that is not reserved: companies in `busy` may start another run. */
export const hasUnreservedSlot = ({ slots, reserved }: RunCapacity): RawBuilder<boolean> =>
  sql<boolean>`(select runs from held) < ${sql.lit(slots - reserved)}`

export const hasFreeSlot = ({ slots }: RunCapacity): RawBuilder<boolean> =>
  sql<boolean>`(select runs from held) < ${sql.lit(slots)}`

/**
 * CTEs. `reservation`: the run that lacks memory and whose turn it is, among the companies in `waiting`; `room_for_it`:
 * the time at which it has enough memory, and the memory that is then free in addition (`beside`).
 */
export const reservation = (capacity: RunCapacity): RawBuilder<unknown> => {
  const mine = sql.lit(capacity.memoryMib - capacity.reservedMemoryMib)
  return sql`
    reservation as materialized (
      select larger.id, larger.queued_at, larger.memory
      from (select * from waiting order by live, served_at nulls first, since, company_id) waiting
      cross join lateral (
        select id, queued_at, ${runMemoryMib(capacity, 'resource_profile')} as memory from runs
        where state = 'queued' and company_id = waiting.company_id and resource_profile <> 'standard'
          and not waits_for_session
        order by queued_at, id limit 1
      ) larger
      where (select memory from held) + larger.memory > ${mine}
        -- If even the largest profile fits, no queue is read.
        and (select memory from held) + ${sql.lit(Math.max(...memoryByProfile(capacity).map(([, mib]) => mib)))} > ${mine}
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

/** Condition on the `head` of a queue of the company in `turns`: the run may start now. */
export const admits = (capacity: RunCapacity): RawBuilder<boolean> => {
  const isShort = sql`head.timeout_seconds <= ${sql.lit(shortRunSeconds)}`
  const isFirst = sql`turns.live = 0`
  const isSmallFirst = sql`(${isFirst} and ${isShort} and head.resource_profile = 'standard')`
  const { slots, reservedForShort, memoryMib, reservedMemoryMib } = capacity
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
        and now() + make_interval(secs => head.timeout_seconds + ${sql.lit(endGraceSeconds)}) > room_for_it.ends_at
        and head.memory > room_for_it.beside
        and not (${isSmallFirst} and head.memory + (
          select coalesce(sum(memory), 0) from live where claimed_at > room_for_it.queued_at
        ) <= ${sql.lit(reservedMemoryMib)})
    )`
}

/** Number of runs in `live` that are above the timeout bound of their company. */
export const overBound = sql<number>`
  count(*) filter (where live.timeout_seconds > coalesce(own.run_timeout_bound_seconds, ${sql.lit(noBoundSeconds)}))`
