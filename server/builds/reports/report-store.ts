import { imageRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
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

/**
 * Two kinds of reports: those of versions that have no image and ended longer ago than the image retention time of their
 * company, and those that a later scan of the same build replaced.
 */
export async function listOverdueReports(db: Executing, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a sweep of all companies')}
    select o.id from owned_objects o
    join build_attempts a on a.id = o.build_attempt_id
    join environment_versions v on v.id = a.environment_version_id
    left join company_settings s on s.company_id = o.company_id
    where o.object_kind = 'report' and o.deletion_state = 'active'
      and (o.id not in (a.report_object_id, a.sbom_object_id) or (
        v.state in ('archived', 'rejected', 'abandoned', 'superseded')
        and v.layer_digest is null and v.retiring_layer_digest is null
        and v.state_changed_at < ${now}::timestamptz
          - make_interval(days => coalesce(s.unreferenced_image_retention_days, ${imageRetentionDefaultDays}))
      ))
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}
