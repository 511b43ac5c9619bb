import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'

export interface EnvironmentUse {
  id: string
  version_number: number | null
  unpacked_bytes: number | null
  /** Open findings by severity; a severity without any is left out. */
  findings: Record<string, number>
  tasks: number
}

/** The newest version, open findings and use of environments of a company, or curated ones. */
export async function findEnvironmentUse(
  db: Executing,
  { companyId, ids, counted }: { companyId: string; ids: readonly string[]; counted: number },
): Promise<EnvironmentUse[]> {
  const { rows } = await sql<EnvironmentUse>`
    select environment.id, newest.version_number, newest.unpacked_bytes,
      (select coalesce(jsonb_object_agg(severity, number), '{}') from (
        select severity, count(*) as number from (
          select severity from security_findings
          where environment_id = environment.id and company_id = ${companyId}
            and state in ('discovered', 'reappeared', 'excepted', 'blocked')
          limit ${counted}
        ) open group by severity
      ) by_severity) as findings,
      (select count(distinct used.task_id) from environment_versions version
        join task_versions used on used.environment_version_id = version.id and used.company_id = ${companyId}
          and used.state <> 'archived'
        where version.environment_id = environment.id
          and (version.company_id = ${companyId} or version.company_id is null)) as tasks
    from unnest(${arrayParam(ids, 'text')}) as requested (id)
    join environments environment on environment.id = requested.id
      and (environment.company_id = ${companyId} or environment.company_id is null)
    left join environment_versions newest on newest.id = environment.current_version_id
      and (newest.company_id = ${companyId} or newest.company_id is null)
  `.execute(db)
  return rows
}
