import { type RawBuilder, sql } from 'kysely'
import { buildEndsAt, runEndsAt } from './capacity-in-use-statement.ts'
import { buildMemoryMib, runMemoryMib } from './promised-memory-statement.ts'
import { memoryByProfile, type RunCapacity, sharedMemoryMib } from './run-capacity.ts'
import { companyOrder, hasSlot } from './waiting-companies-statement.ts'

/*
 * Parts of the statements that claim runs and builds: what lacks memory does not starve behind what is smaller (EASY
 * backfilling). At most one run and one build have a reservation of an executor. Until the time at which enough memory is free for it, others
 * start only if they end before that time or leave enough memory for it. The time follows from deadlines, so runs with a
 * timeout of a week keep the memory that they have and get no more, and no memory is idle for what cannot start soon.
 *
 *   run      The oldest larger run of the company whose turn it is, as soon as it lacks memory.
 *   build    The build whose turn it is, a minute after it was queued. The claim of builds writes it into `build_memory_turn`
 *            and renews it at each poll: no memory is kept for builds that nobody claims.
 *   both     The one whose company has waited longer since it got such a run or build ignores the other's reservation. So
 *            companies get large memory in turn, and each waits at most once for each other one.
 *   first    The first short run of a company passes in any case, with the memory reserved for these.
 *
 * The numbers are part of the statement text: they are the same for all claims of a worker, so the planner guesses nothing.
 */

/** A reservation of a build that is not renewed ends after this time. The claim of builds polls more often. */
export const reservationSeconds = 30

/**
 * The waiting build that has a reservation of an executor, if any, or those of all. `memory`: what it counts for, by its column
 * `build_profile`.
 */
export const waitingBuild = (
  memory: RawBuilder<number>,
  executor: RawBuilder<unknown> = sql`reserved.executor`,
): RawBuilder<unknown> => sql`
      select attempt.id, attempt.company_id, attempt.queued_at, attempt.memory, reserved.reserved_at
      from build_memory_turn reserved cross join lateral (
        select id, company_id, queued_at, state, ${memory} as memory
        from build_attempts where build_attempts.id = reserved.attempt_id limit 1
      ) attempt
      where reserved.executor = ${executor} and reserved.renewed_at > now() - make_interval(secs => ${sql.lit(reservationSeconds)})
        and attempt.state = 'validation_queued'`

interface ReservationOptions {
  executor: string
  /** The CTE with the first companies in turn (`waitingCompanies`). */
  companies: string
  /** Memory that may be given to a build before the run with a reservation is claimed. */
  buildMib?: number
}

/**
 * CTE `waiting_run`: the run with a reservation, if any. It lacks memory, or would if the build with a reservation started.
 * Without such a build, `buildMib` counts instead.
 */
const waitingRun = (
  capacity: RunCapacity,
  { companies, buildMib = 0 }: ReservationOptions,
): RawBuilder<unknown> => {
  const largest = Math.max(...memoryByProfile(capacity).map(([, mib]) => mib))
  const shared = sql.lit(sharedMemoryMib(capacity))
  const taken = sql`(select memory from held) + coalesce((select memory from waiting_build), ${sql.lit(buildMib)})`
  return sql`
    waiting_run as materialized (
      select larger.*
      from (select * from ${sql.ref(companies)} order by ${companyOrder}) company
      cross join lateral (
        select id, company_id, queued_at, timeout_seconds, resource_profile,
          ${runMemoryMib(capacity, 'resource_profile')} as memory
        from runs
        where state = 'queued' and company_id = company.company_id and resource_profile <> 'standard'
          and not waits_for_session
        order by queued_at, id limit 1
      ) larger
      where ${taken} + larger.memory > ${shared}
        -- If even the largest profile fits, no queue is read.
        and ${taken} + ${sql.lit(largest)} > ${shared}
        and ${hasSlot(capacity, 'larger', 'company')}
      limit 1
    )`
}

/** CTE `goes_first`: which of both ignores the other's reservation; empty unless both have one. */
const goesFirst = sql`
    goes_first as materialized (
      select case when run.since < build.since then run.id else build.id end as id
      from (
        select id, greatest(queued_at, (
          select max(claimed_at) from live where live.company_id = waiting_run.company_id and resource_profile <> 'standard'
        ), (
          select terminal_at from runs
          where company_id = waiting_run.company_id and resource_profile = waiting_run.resource_profile
            and terminal_at is not null and started_at is not null
          order by terminal_at desc limit 1
        )) as since
        from waiting_run
      ) run cross join (
        select id, greatest(queued_at, (
          select started_at from build_attempts
          where company_id = waiting_build.company_id and started_at is not null
          order by started_at desc limit 1
        )) as since
        from waiting_build
      ) build
    )`

/**
 * CTEs after those of `capacityInUse`. `reservations`: what waits for memory, since when it reserves it (`reserved_at`), when
 * there is enough (`starts_at`), the memory that is then free in addition (`beside`), and the part for builds that is then
 * unused and not counted in it (`unused`).
 */
export const memoryReservations = (
  capacity: RunCapacity,
  options: ReservationOptions,
): RawBuilder<unknown> => sql`
    waiting_build as materialized (
      ${waitingBuild(buildMemoryMib(capacity, 'build_profile'), sql`${options.executor}`)}
    ), ${waitingRun(capacity, options)}, ${goesFirst}, wanted as materialized (
      select of_both.*, start.at as starts_at, start.free - of_both.memory as beside, start.unused
      from (
        -- A run leaves the part for builds, a build is what it is for.
        select id, queued_at as reserved_at, memory, ${sql.lit(capacity.buildMemoryMib)} as for_builds,
          ${runEndsAt(sql`now()`, sql`timeout_seconds`)} as ends_at
        from waiting_run
        union all select id, reserved_at, memory, 0, ${buildEndsAt(sql`now()`)} from waiting_build
      ) of_both cross join lateral (
        select at, free, unused from (
          select ended.at,
            ${sql.lit(sharedMemoryMib(capacity))} - (held.run_memory - ended.run_memory)
              - greatest(held.build_memory - ended.build_memory, of_both.for_builds) as free,
            greatest(of_both.for_builds - (held.build_memory - ended.build_memory), 0) as unused
          from held cross join (
            select at, sum(run_memory) over (order by at) as run_memory,
              sum(build_memory) over (order by at) as build_memory
            from (
              select ends_at as at, memory as run_memory, 0 as build_memory from live
              union all select ends_at, 0, memory from building
              union all select now(), 0, 0
            ) ends
          ) ended
        ) times
        where free >= of_both.memory order by at limit 1
      ) start
    ), reservations as materialized (
      -- A run or build that has to wait for the other one reserves nothing before that has started.
      select id, reserved_at, starts_at, beside, unused from wanted
      where not exists (
        select from wanted other join goes_first on goes_first.id = other.id
        where other.id <> wanted.id and wanted.ends_at > other.starts_at
          and wanted.memory - other.unused > other.beside
      )
    )`

/**
 * Condition on a run or build with this id, the memory it takes in addition and its end: it delays no reservation. `unless`
 * is a condition on a row of `reservations` that does not bind it.
 */
export const delaysNoReservation = (
  of: { id: RawBuilder<unknown>; memory: RawBuilder<unknown>; endsAt: RawBuilder<unknown> },
  unless: RawBuilder<boolean> = sql<boolean>`false`,
): RawBuilder<boolean> => sql<boolean>`
    not exists (
      select from reservations
      where reservations.id <> ${of.id} and ${of.id} is distinct from (select id from goes_first)
        and ${of.endsAt} > reservations.starts_at and ${of.memory} > reservations.beside
        and not (${unless})
    )`
