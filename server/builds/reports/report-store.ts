import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

export interface ReportKeys {
  reportKey: string
  sbomKey: string
}

/** Storage keys of an attempt's report and SBOM; undefined when there is no report, or it was removed. */
export async function findReport(
  db: Executing,
  attempt: { attemptId: string; companyId: string },
): Promise<ReportKeys | undefined> {
  const { rows } = await sql<ReportKeys>`
    select r.storage_key as "reportKey", s.storage_key as "sbomKey"
    from build_attempts a
    join owned_objects r on r.id = a.report_object_id and r.deletion_state = 'active'
    join owned_objects s on s.id = a.sbom_object_id and s.deletion_state = 'active'
    where a.id = ${attempt.attemptId} and a.company_id = ${attempt.companyId}
  `.execute(db)
  return rows[0]
}
