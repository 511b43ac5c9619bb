import { type RawBuilder, sql } from 'kysely'

/*
 * Numbers of runs at work. Triggers on `runs` insert a change into `live_run_changes` when a run gets or leaves a slot, and a loop
 * folds the changes into `live_run_counts` (`runs/queue/live-run-store.ts`). A statement that adds both is exact, and its cost
 * does not depend on the number of runs.
 */

/** CTE `changed`: changes that are not folded yet. */
export const changedLiveRuns = sql`
    changed as materialized (
      select company_id, chatroom_id, executor, resource_profile, sum(runs)::bigint as runs from live_run_changes
      group by company_id, chatroom_id, executor, resource_profile having sum(runs) <> 0
    )`

/** Numbers of runs at work of the executors in `which`, by profile. `changed` precedes. */
const ofExecutors = (which: RawBuilder<boolean>): RawBuilder<unknown> => sql`(
        select resource_profile, runs from live_run_counts where company_id = '' and chatroom_id = '' and ${which}
        union all select resource_profile, runs from changed where ${which}
      ) numbers`

/** The number of runs at work of an executor, as `runs`. `changed` precedes. */
export const liveRunsOfExecutor = (executor: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select coalesce(sum(runs), 0)::bigint as runs from ${ofExecutors(sql`executor = ${executor}`)}`

/**
 * The number of runs at work of the executors in `which`, and their memory by that of a profile, as `runs` and `memory`. `changed`
 * precedes.
 */
export const allLiveRuns = (
  memoryOf: (column: string) => RawBuilder<number>,
  which: RawBuilder<boolean>,
): RawBuilder<unknown> => sql`
      select coalesce(sum(runs), 0)::bigint as runs, coalesce(sum(runs * ${memoryOf('resource_profile')}), 0)::bigint as memory
      from ${ofExecutors(which)}`

/** Companies with runs at work, and the number of these as `runs`. `changed` precedes. */
export const liveRunsByCompany = sql`
      select company_id, sum(runs)::bigint as runs from (
        select company_id, runs from live_run_counts where company_id <> '' and chatroom_id = ''
        union all select company_id, runs from changed
      ) numbers group by company_id having sum(runs) > 0`

/** The number of runs at work of a company. `changed` precedes. */
export const liveRunsOfCompany = (company: RawBuilder<unknown>): RawBuilder<number> => sql<number>`(
      select coalesce(sum(runs), 0)::bigint from (
        select runs from live_run_counts where company_id = ${company} and chatroom_id = ''
        union all select runs from changed where company_id = ${company}
      ) numbers)`

/** The number of runs at work in a room of a company. `changed` precedes. */
export const liveRunsOfRoom = (company: RawBuilder<unknown>, room: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(
      select coalesce(sum(runs), 0)::bigint from (
        select runs from live_run_counts where company_id = ${company} and chatroom_id = ${room}
        union all select runs from changed where company_id = ${company} and chatroom_id = ${room}
      ) numbers)`
