import type { CompanyTraffic } from '@sandbox-jobs/contract/operator/operated-network.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'

/** The traffic of runs queued from a day on, as it is billed, and the runs with refused connections. Those that sent the most first. */
export async function listCompanyTraffic(
  db: Executing,
  since: string,
  limit: number,
): Promise<CompanyTraffic[]> {
  const { rows } =
    await sql<CompanyTraffic>`${acrossCompanies('an operator looks at the network of this machine')}
    with used as (
      select company_id, ingress_bytes, egress_bytes from usage_days where day >= ${since}::date
      union all select company_id, ingress_bytes, egress_bytes from usage_changes where day >= ${since}::date
    ), traffic as (
      select company_id, sum(ingress_bytes)::bigint as received, sum(egress_bytes)::bigint as sent
      from used group by company_id
    ), refused as (
      select company_id, count(*) as runs from run_refusals group by company_id
    )
    select companies.id as company_id, companies.name as company, coalesce(received, 0) as received_bytes,
      coalesce(sent, 0) as sent_bytes, coalesce(refused.runs, 0) as refused_runs
    from companies left join traffic on traffic.company_id = companies.id
      left join refused on refused.company_id = companies.id
    where received > 0 or sent > 0 or refused.runs > 0
    order by sent_bytes desc, refused_runs desc, name limit ${limit}
  `.execute(db)
  return rows
}
