import type { UsageDimension, UsageItem } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { opaqueParam } from '../../db/fast/params.ts'
import { departmentOf } from './usage-store.ts'

/** Days as `YYYY-MM-DD`, UTC; both are included. */
export interface UsageRange {
  companyId: string
  from: string
  to: string
}

/** A line of a report with its cost in millionths. */
export type UsageRow = Omit<UsageItem, 'cost'> & { cost_micro: number }

const columnsOf: Record<UsageDimension, readonly string[]> = {
  day: ['day'],
  task: ['subject_id'],
  room: ['chatroom_id'],
  department: ['department_id'],
  person: ['principal_type', 'principal_id'],
}
const columns = ['day', 'subject_id', 'chatroom_id', 'department_id', 'principal_type', 'principal_id']

/**
 * Usage by these dimensions and the kind of work, at most `limit` lines in the order of the dimensions. Adds what is folded
 * and what is not in one statement, so totals are exact at any time.
 */
export async function readUsage(
  db: Executing,
  { companyId, from, to }: UsageRange,
  { by, limit }: { by: readonly UsageDimension[]; limit: number },
): Promise<UsageRow[]> {
  const company = opaqueParam(companyId, 'text')
  const days = sql`between ${opaqueParam(from, 'date')} and ${opaqueParam(to, 'date')}`
  const kept = by.flatMap((dimension) => columnsOf[dimension])
  const groups = sql.join([...kept, 'kind'].map((column) => sql.ref(`used.${column}`)))
  const order = sql.join([...kept, 'kind'].map((column) => sql.ref(`totals.${column}`)))
  const shown = sql.join(
    columns.map((column) =>
      kept.includes(column)
        ? sql`${sql.ref(`used.${column}`)}::text as ${sql.ref(column)}`
        : sql`null::text as ${sql.ref(column)}`,
    ),
  )
  const { rows } = await sql<UsageRow>`
    with used as (
      select day, kind, subject_id, chatroom_id, department_id, principal_type, principal_id, count, seconds,
        ingress_bytes, egress_bytes, cost_micro
      from usage_days where company_id = ${company} and day ${days}
      union all
      select day, kind, subject_id, chatroom_id, ${departmentOf('changes')}, principal_type, principal_id, 1, seconds,
        ingress_bytes, egress_bytes, cost_micro
      from usage_changes changes where changes.company_id = ${company} and day ${days}
    ), totals as (
      select ${shown}, used.kind, sum(count)::bigint as count, sum(seconds)::bigint as seconds,
        sum(ingress_bytes)::bigint as ingress_bytes, sum(egress_bytes)::bigint as egress_bytes,
        sum(cost_micro)::bigint as cost_micro
      from used group by ${groups} order by ${groups} limit ${opaqueParam(limit, 'bigint')}
    )
    select totals.*,
      case kind when 'run' then (select name from tasks t where t.id = totals.subject_id and t.company_id = ${company})
        else (select name from environments e where e.id = totals.subject_id and e.company_id = ${company})
        end as subject_name,
      (select name from chatrooms c where c.id = totals.chatroom_id and c.company_id = ${company}) as chatroom_name,
      (select name from departments d where d.id = totals.department_id and d.company_id = ${company}) as department_name,
      (select display_name from users u where u.id = totals.principal_id and u.company_id = ${company}
        and totals.principal_type = 'user') as principal_name
    from totals order by ${order}
  `.execute(db)
  return rows
}
