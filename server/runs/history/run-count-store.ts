import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database, Executing } from '../../db/database.ts'
import { opaqueParam } from '../../db/fast/params.ts'

/*
 * The tables `run_counts` and `run_count_changes`. Triggers on `runs` insert a change for every run that is created or
 * ends, and a loop folds the changes into the counts. Readers add both in one statement, so totals are exact at any time.
 * Runs are never removed.
 */

/** Whole UTC days between two midnights; undefined: no bound. */
export interface Days {
  from: Date | undefined
  before: Date | undefined
}

export interface CountedRuns {
  companyId: string
  /** Undefined: all tasks. */
  taskId?: string | undefined
  /** Undefined: all states. */
  states?: readonly string[] | undefined
  /** Days on which the runs were queued. Undefined: all days. */
  days?: Days | undefined
  /** Further condition on columns of `runs` that the counts have: chatroom_id, principal_type, submission_source. */
  where: Expression<SqlBool>
}

/** Counts runs. The cost depends on the number of rooms, days and live runs, not on the number of runs. */
export async function countRuns(
  db: Executing,
  { companyId, taskId, states, days, where }: CountedRuns,
): Promise<number> {
  const company = opaqueParam(companyId, 'text')
  const task = opaqueParam(taskId ?? '', 'text')
  const ofTask = taskId === undefined ? sql`true` : sql`runs.task_id = ${task}`
  const ofDays = within(sql`runs.day`, days)
  const { rows } = await sql<{ state: string; runs: number }>`
    select state, sum(runs)::bigint as runs from (
      select state, runs from run_counts runs
      where runs.company_id = ${company} and runs.task_id = ${task} and ${where}
        and ${days ? sql`runs.day > '-infinity' and ${ofDays}` : sql`runs.day = '-infinity'`}
      union all
      select state, runs from run_count_changes runs
      where runs.company_id = ${company} and ${ofTask} and ${ofDays} and ${where}
      union all
      select state, 1 from runs
      where runs.state in ('starting', 'running', 'cancel_requested') and runs.company_id = ${company}
        and ${ofTask} and ${within(dayOf, days)} and ${where}
    ) parts group by state
  `.execute(db)
  const byState = new Map(rows.map((row) => [row.state, row.runs]))
  const made = byState.get(createdState) ?? 0
  if (states === undefined) return made
  byState.delete(createdState)
  // Queued runs are those created that have neither ended nor been claimed.
  byState.set(
    'queued',
    [...byState.values()].reduce((left, runs) => left - runs, made),
  )
  return [...new Set(states)].reduce((total, state) => total + (byState.get(state) ?? 0), 0)
}

/** The `state` under which the counts hold all created runs. */
const createdState = ''

const dayOf = sql`(runs.queued_at at time zone 'UTC')::date`

function within(day: RawBuilder<unknown>, days: Days | undefined): RawBuilder<unknown> {
  const midnight = (at: Date) => sql`(${opaqueParam(at, 'timestamptz')} at time zone 'UTC')::date`
  const from = days?.from ? sql`${day} >= ${midnight(days.from)}` : sql`true`
  return days?.before ? sql`${from} and ${day} < ${midnight(days.before)}` : from
}

/** Folds at most `limit` changes, oldest first, into the counts per task and day and the totals. Returns the number of changes. */
export async function foldCounts(db: Database, limit: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`${acrossCompanies('a sweep of all companies')}
    with oldest as materialized (
      select place from run_count_changes order by place limit ${limit} for update skip locked
    ), taken as (
      delete from run_count_changes where place in (select place from oldest)
      returning company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs
    ), folded as (
      insert into run_counts (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
      select company_id, coalesce(task_id, ''), coalesce(day, '-infinity'), chatroom_id, principal_type,
        submission_source, state, sum(runs)
      from taken
      group by company_id, chatroom_id, principal_type, submission_source, state, cube (task_id, day)
      order by 1, 2, 3, 4, 5, 6, 7
      on conflict (company_id, task_id, day, chatroom_id, principal_type, submission_source, state)
        do update set runs = run_counts.runs + excluded.runs
    )
    select count(*) as folded from taken
  `.execute(db)
  return rows[0]?.folded ?? 0
}
