import { type RawBuilder, sql } from 'kysely'
import { liveRunsByCompany } from './live-runs-statement.ts'
import { type RunCapacity, shortRunSeconds } from './run-capacity.ts'

/*
 * Parts of statements: the companies with queued runs, in turn. Slots and bounds are checked here and in `hasSlot`.
 *
 *   slots    Reserved slots are for the first run of a company, the last of them for a short run. A company with a live
 *            run gets no reserved slot. So no company takes all slots, however long its runs are.
 *   bound    Runs above the operator's timeout bound for their company start one at a time.
 */

/**
 * Companies without live runs that one statement tries; the other waiting companies are at most as many as the live runs.
 * If none has a startable run, a claim doubles the number each time, so that there are few distinct statement texts.
 */
export const turnsTried = 64

/** CTE: the companies with live runs. The CTE `changed` precedes. */
export const busyCompanies = sql`
    busy as (
      select live.company_id, live.runs, own.run_concurrency_limit
      from (${liveRunsByCompany}) live left join company_settings own using (company_id)
    )`

interface WaitingOptions {
  capacity: RunCapacity
  /** Live runs of one company, unless the operator has set another limit for it. */
  companyConcurrency: number
  /** Companies without live runs to pass over. */
  skipped: number
  /** Companies without live runs to return. */
  tried: number
}

/** The companies that may have a slot for another run. */
export const waitingCompanies = ({
  capacity: { slots, reserved },
  companyConcurrency,
  skipped,
  tried,
}: WaitingOptions): RawBuilder<unknown> => sql`
      (select company_id, 0 as live, served_at, since from queue_turns
        where not exists (select from busy where busy.company_id = queue_turns.company_id)
          and (select runs from held) < ${sql.lit(slots)}
        order by served_at nulls first, since limit ${tried} offset ${skipped})
      union all
      select company_id, busy.runs, served_at, since from busy join queue_turns using (company_id)
      where busy.runs < coalesce(run_concurrency_limit, ${companyConcurrency})
        and (select runs from held) < ${sql.lit(slots - reserved)}`

/** The order of these companies. */
export const companyOrder = sql`live, served_at nulls first, since, company_id`

/** Condition on a run of a waiting company, each by its alias: it is short. */
export const isShort = (run: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${run}.timeout_seconds`)} <= ${sql.lit(shortRunSeconds)}`

/** A live run of the company whose settings are `own` is above its timeout bound. Without a bound its runs are not read. */
export const hasRunOverBound = sql<boolean>`
    (own.run_timeout_bound_seconds is not null and exists (
      select from runs over
      where over.state in ('starting', 'running', 'cancel_requested') and over.company_id = own.company_id
        and over.timeout_seconds > own.run_timeout_bound_seconds))`

/** Condition on a run of a waiting company, each by its alias: slots and the bound of the company admit it. */
export const hasSlot = (
  { slots, reservedForShort }: RunCapacity,
  run: string,
  company: string,
): RawBuilder<boolean> => sql<boolean>`
    (${isShort(run)} or (select runs from held) < ${sql.lit(slots - reservedForShort)})
    and (
      select ${sql.ref(`${run}.timeout_seconds`)} > own.run_timeout_bound_seconds and ${hasRunOverBound}
      from company_settings own where own.company_id = ${sql.ref(`${company}.company_id`)}
    ) is not true`
