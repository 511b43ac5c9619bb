import type { CompanyWork } from '@sandbox-jobs/contract/operator/operator-state.ts'
import type { OperatedBuild, OperatedRun } from '@sandbox-jobs/contract/operator/operator-work.ts'
import { type RawBuilder, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { hasAgent, isDriven } from '../../work/executor-statement.ts'

const byOperator = acrossCompanies('an operator looks at what runs on this machine')

/** Those with the most active runs first, then those with the most queued ones; `companyId`: this one alone. */
export async function listCompanyWork(
  db: Executing,
  limit: number,
  companyId?: string,
): Promise<CompanyWork[]> {
  const chosen = chosenBy(companyId)
  const { rows } = await sql<CompanyWork>`${byOperator}
    with active as (
      select company_id, count(*) as runs from runs
      where state in ('starting', 'running', 'cancel_requested') and ${chosen} group by company_id
    ), queued as (
      select company_id, count(*) as runs, min(queued_at) as oldest from runs where state = 'queued' and ${chosen}
      group by company_id
    ), builds as (
      select company_id, count(*) filter (where state <> 'validation_queued') as active,
        count(*) filter (where state = 'validation_queued') as queued
      from build_attempts where terminal_at is null and ${chosen} group by company_id
    ), busy as (
      select company_id from active union select company_id from queued union select company_id from builds
    )
    select company_id, name, coalesce(active.runs, 0) as runs_active, coalesce(queued.runs, 0) as runs_queued,
      ${secondsSince(sql`queued.oldest`)} as oldest_queued_run,
      coalesce(builds.active, 0) as builds_active, coalesce(builds.queued, 0) as builds_queued
    from busy left join active using (company_id) left join queued using (company_id) left join builds using (company_id)
    join companies on companies.id = company_id
    order by runs_active desc, runs_queued desc, builds_active desc, name limit ${limit}`.execute(db)
  return rows
}

/** Where the runs of each kind are, and since when. */
const runsThat = {
  areAtWork: { states: sql`state in ('starting', 'running', 'cancel_requested')`, since: sql`claimed_at` },
  wait: { states: sql`state = 'queued'`, since: sql`queued_at` },
}

/** Those that have been there the longest, of one company or of all. */
export async function listRunsThat(
  db: Executing,
  kind: keyof typeof runsThat,
  { companyId, limit }: Listed,
): Promise<OperatedRun[]> {
  const { states, since } = runsThat[kind]
  const { rows } = await sql<OperatedRun>`${byOperator}
    select runs.id, company_id, companies.name as company, state, resource_profile as profile,
      ${secondsSince(since)} as seconds
    from runs join companies on companies.id = company_id
    where ${states} and ${chosenBy(companyId)} order by ${since} nulls last, runs.id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Builds that have not ended, those at work before those that wait. */
export async function listLiveBuilds(db: Executing, { companyId, limit }: Listed): Promise<OperatedBuild[]> {
  const { rows } = await sql<OperatedBuild>`${byOperator}
    select builds.id, company_id, companies.name as company, state, stage_code as stage, build_profile as profile,
      ${secondsSince(sql`coalesce(started_at, queued_at)`)} as seconds
    from build_attempts builds join companies on companies.id = company_id
    where terminal_at is null and ${chosenBy(companyId)}
    order by state = 'validation_queued', seconds desc, builds.id limit ${limit}`.execute(db)
  return rows
}

interface Listed {
  companyId?: string | undefined
  limit: number
}

const chosenBy = (companyId: string | undefined) =>
  companyId === undefined ? sql`true` : sql`company_id = ${companyId}`

const secondsSince = (at: RawBuilder<unknown>) =>
  sql`coalesce(greatest(extract(epoch from clock_timestamp() - ${at})::float8, 0), 0)`

/** Active runs by profile, which says how much memory each counts for. */
export async function countActiveRuns(db: Executing): Promise<{ profile: string; runs: number }[]> {
  const { rows } = await sql<{ profile: string; runs: number }>`${byOperator}
    select resource_profile as profile, count(*) as runs from runs
    where state in ('starting', 'running', 'cancel_requested') group by resource_profile`.execute(db)
  return rows
}

export async function countActiveBuilds(db: Executing): Promise<number> {
  const { rows } = await sql<{ builds: number }>`${byOperator}
    select count(*) as builds from build_attempts where terminal_at is null and state <> 'validation_queued'`.execute(
    db,
  )
  return rows[0]?.builds ?? 0
}

/** An executor, and the work that is claimed for it. */
export interface ListedExecutor {
  id: string
  /** Host and folder. */
  place: string
  /** A worker drives it. */
  at_work: boolean
  /** Nothing more is claimed for it. */
  draining: boolean
  /** Its host agent has answered of late. */
  host_agent: boolean
  runs: number
  run_slots: number
  builds: number
}

/** Those at work first. */
export async function listExecutors(db: Executing): Promise<ListedExecutor[]> {
  const { rows } = await sql<ListedExecutor>`${byOperator}
    select id, place, draining, ${isDriven} as at_work, ${hasAgent} as host_agent, (
      select count(*) from runs where executor = executors.id and state in ('starting', 'running', 'cancel_requested')
    ) as runs, (capacity ->> 'slots')::int as run_slots, (
      select count(*) from build_attempts where worker = executors.id and terminal_at is null
    ) as builds
    from executors order by at_work desc, place, id`.execute(db)
  return rows
}
