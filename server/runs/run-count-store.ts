import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database, Executing } from '../db/database.ts'
import { unseen } from '../db/unseen.ts'

/*
 * The tables `run_counts` and `run_count_changes`. Triggers on `runs` note every run that is made and every one that
 * ends; from time to time the notes are folded into the counts. Whoever counts reads both in one statement, so the total
 * is exact at any time. Runs are never removed.
 */

/** Whole days in UTC, by the midnights between which they lie; undefined sets no bound. */
export interface Days {
  from: Date | undefined
  before: Date | undefined
}

export interface CountedRuns {
  companyId: string
  /** Undefined: of all tasks. */
  taskId?: string | undefined
  /** Undefined: whatever their state. */
  states?: readonly string[] | undefined
  /** Undefined: whenever they were queued. */
  days?: Days | undefined
  /** Further condition on columns of `runs` that the counts have: chatroom_id, principal_type, submission_source. */
  where: Expression<SqlBool>
}

/** How many runs there are; costs what the number of rooms, days and live runs costs, whatever that of runs. */
export async function countRuns(
  db: Executing,
  { companyId, taskId, states, days, where }: CountedRuns,
): Promise<number> {
  const company = unseen(companyId, 'text')
  const task = unseen(taskId ?? '', 'text')
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
  const made = byState.get(madeState) ?? 0
  if (states === undefined) return made
  byState.delete(madeState)
  // Whatever was made and has neither ended nor begun is queued.
  byState.set(
    'queued',
    [...byState.values()].reduce((left, runs) => left - runs, made),
  )
  return [...new Set(states)].reduce((total, state) => total + (byState.get(state) ?? 0), 0)
}

/** In the counts, of all runs whatever became of them. */
const madeState = ''

const dayOf = sql`(runs.queued_at at time zone 'UTC')::date`

function within(day: RawBuilder<unknown>, days: Days | undefined): RawBuilder<unknown> {
  const midnight = (at: Date) => sql`(${unseen(at, 'timestamptz')} at time zone 'UTC')::date`
  const from = days?.from ? sql`${day} >= ${midnight(days.from)}` : sql`true`
  return days?.before ? sql`${from} and ${day} < ${midnight(days.before)}` : from
}

/** Folds at most `limit` notes, oldest first, into the counts of task and day and of all tasks and days; answers how many. */
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
