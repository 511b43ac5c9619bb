import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { departmentOf } from './department-statement.ts'

/*
 * Folds `usage_changes` into `usage_days`. Triggers insert a change for each run and build that ends
 * (`db/migrations/0190-billing.sql`). Readers add both in one statement, so totals are exact at any time.
 */

/** Folds at most `limit` changes, oldest first. Returns the number of changes. */
export async function foldUsageChanges(db: Executing, limit: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`${acrossCompanies('a sweep of all companies')}
    with taken as (
      delete from usage_changes where place = any(array(
        select place from usage_changes order by place limit ${limit} for update skip locked
      ))
      returning *
    ), folded as (
      insert into usage_days (company_id, day, kind, subject_id, chatroom_id, department_id, principal_type, principal_id,
        count, seconds, ingress_bytes, egress_bytes, cost_micro)
      select company_id, day, kind, subject_id, chatroom_id, ${departmentOf('taken')}, principal_type, principal_id,
        count(*), sum(seconds)::bigint, sum(ingress_bytes)::bigint, sum(egress_bytes)::bigint, sum(cost_micro)::bigint
      from taken group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
      on conflict (company_id, day, kind, subject_id, chatroom_id, department_id, principal_type, principal_id)
        do update set count = usage_days.count + excluded.count, seconds = usage_days.seconds + excluded.seconds,
          ingress_bytes = usage_days.ingress_bytes + excluded.ingress_bytes,
          egress_bytes = usage_days.egress_bytes + excluded.egress_bytes,
          cost_micro = usage_days.cost_micro + excluded.cost_micro
    )
    select count(*) as folded from taken
  `.execute(db)
  return rows[0]?.folded ?? 0
}
