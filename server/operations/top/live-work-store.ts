import type { ActiveRun, CompanyWork } from '@sandbox-jobs/contract/operator/operator-state.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'

const byOperator = acrossCompanies('an operator looks at what runs on this machine')

/** Those with the most active runs first, then those with the most queued ones. */
export async function listCompanyWork(db: Executing, limit: number): Promise<CompanyWork[]> {
  const { rows } = await sql<CompanyWork>`${byOperator}
    with active as (
      select company_id, count(*) as runs from runs
      where state in ('starting', 'running', 'cancel_requested') group by company_id
    ), queued as (
      select company_id, count(*) as runs, min(queued_at) as oldest from runs where state = 'queued' group by company_id
    ), builds as (
      select company_id, count(*) filter (where state <> 'validation_queued') as active,
        count(*) filter (where state = 'validation_queued') as queued
      from build_attempts where terminal_at is null group by company_id
    ), busy as (
      select company_id from active union select company_id from queued union select company_id from builds
    )
    select company_id, name, coalesce(active.runs, 0) as runs_active, coalesce(queued.runs, 0) as runs_queued,
      coalesce(greatest(extract(epoch from clock_timestamp() - queued.oldest)::float8, 0), 0) as oldest_queued_run,
      coalesce(builds.active, 0) as builds_active, coalesce(builds.queued, 0) as builds_queued
    from busy left join active using (company_id) left join queued using (company_id) left join builds using (company_id)
    join companies on companies.id = company_id
    order by runs_active desc, runs_queued desc, builds_active desc, name limit ${limit}`.execute(db)
  return rows
}

/** Those that have been at work the longest. */
export async function listActiveRuns(db: Executing, limit: number): Promise<ActiveRun[]> {
  const { rows } = await sql<ActiveRun>`${byOperator}
    select runs.id, companies.name as company, state, resource_profile as profile,
      coalesce(greatest(extract(epoch from clock_timestamp() - claimed_at)::float8, 0), 0) as seconds
    from runs join companies on companies.id = runs.company_id
    where state in ('starting', 'running', 'cancel_requested') order by claimed_at nulls last limit ${limit}`.execute(
    db,
  )
  return rows
}

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
