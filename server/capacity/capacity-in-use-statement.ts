import { type RawBuilder, sql } from 'kysely'
import { allLiveRuns, changedLiveRuns } from './live-runs-statement.ts'
import { buildMemoryMib, runMemoryMib } from './promised-memory-statement.ts'
import type { RunCapacity } from './run-capacity.ts'

/** Time after its deadline until the slot of a run is free. */
const endGraceSeconds = 30
/** Of the longest build profile. */
const buildSeconds = 3600

/** When a run that is claimed at `at` has left its slot and memory. */
export const runEndsAt = (at: RawBuilder<unknown>, timeout: RawBuilder<unknown>): RawBuilder<Date> =>
  sql<Date>`${at} + make_interval(secs => ${timeout} + ${sql.lit(endGraceSeconds)})`

/** When a build that starts at `at` has probably ended. */
export const buildEndsAt = (at: RawBuilder<unknown>): RawBuilder<Date> =>
  sql<Date>`${at} + make_interval(secs => ${sql.lit(buildSeconds)})`

/**
 * CTEs for an executor. `held`: the slots and memory of its runs and builds. Its `memory` includes the part for builds that they do not use.
 * `building`: its active builds. `live`: its runs that have a slot, one by one. It is read only where something lacks memory, on
 * an executor that has few runs for that reason. All others read their numbers (`live-runs-statement.ts`).
 */
export const capacityInUse = (capacity: RunCapacity, executor: string): RawBuilder<unknown> => sql`
    ${changedLiveRuns}, live as materialized (
      select company_id, chatroom_id, timeout_seconds, claimed_at, resource_profile,
        ${runMemoryMib(capacity, 'resource_profile')} as memory,
        ${runEndsAt(sql`coalesce(claimed_at, now())`, sql`timeout_seconds`)} as ends_at
      from runs where state in ('starting', 'running', 'cancel_requested') and executor = ${executor}
    ), building as materialized (
      select ${buildMemoryMib(capacity, 'build_profile')} as memory,
        greatest(${buildEndsAt(sql`started_at`)}, now()) as ends_at
      from build_attempts where worker = ${executor} and terminal_at is null
    ), held as materialized (
      select runs, of_runs.memory as run_memory, builds, build_memory,
        of_runs.memory + greatest(build_memory, ${sql.lit(capacity.buildMemoryMib)}) as memory
      from (${allLiveRuns((column) => runMemoryMib(capacity, column), sql`executor = ${executor}`)}) of_runs
      cross join (select count(*) as builds, coalesce(sum(memory), 0) as build_memory from building) of_builds
    )`
