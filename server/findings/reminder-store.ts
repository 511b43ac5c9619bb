import { sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { RemediationDays } from '../base/config/finding-settings.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database, Trx } from '../db/database.ts'
import { inBatches } from '../work/sweep.ts'

const batch = 1000

/** Reminds managers of findings whose deadline the operator has set. One bounded iteration, safe in several processes. */
export async function remindOfDeadlines({
  db,
  clock,
  days,
}: {
  db: Database
  clock: Clock
  days: RemediationDays
}): Promise<{ reminded: number }> {
  if (Object.keys(days).length === 0) return { reminded: 0 }
  const now = clock.now()
  const reminded = await inBatches(batch, (limit) =>
    db.transaction().execute((trx) => recordReminders(trx, { days, now, limit })),
  )
  return { reminded }
}

/** From when a deadline is counted. */
const since = sql`case f.state when 'reappeared' then f.state_changed_at else f.first_seen_at end`

/**
 * Records the reminders that are due: one a week before the deadline (half of the time before a short one), one at the deadline, one
 * each week after it. Those of an environment are one event. Returns how many findings they are about.
 */
async function recordReminders(
  trx: Trx,
  { days, now, limit }: { days: RemediationDays; now: Date; limit: number },
): Promise<number> {
  const entries = Object.entries(days)
  const { rows } = await sql<{ reminded: number }>`${acrossCompanies('a sweep of all companies')}
    with deadlines as (
      select * from unnest(${entries.map(([severity]) => severity)}::text[], ${entries.map(([, each]) => each)}::int[])
        as deadline (severity, days)
    ), wanted as (
      select f.id, ${since} as since,
        case
          when ${now}::timestamptz < due.at - least(interval '7 days', make_interval(days => d.days) / 2) then 0
          when ${now}::timestamptz < due.at then 1
          else 2 + floor(extract(epoch from ${now}::timestamptz - due.at) / (7 * 86400))::int
        end as reminders
      from security_findings f join deadlines d on d.severity = f.severity
        cross join lateral (select ${since} + make_interval(days => d.days) as at) due
      where f.state in ('discovered', 'reappeared', 'blocked')
    ), due as (
      select f.id, f.company_id, f.environment_id, w.since, w.reminders
      from security_findings f join wanted w on w.id = f.id
      where w.reminders > case when f.reminded_since = w.since then f.reminders else 0 end
      order by f.id limit ${limit} for update of f skip locked
    ), moved as (
      update security_findings f set reminders = due.reminders, reminded_since = due.since
      from due where f.id = due.id and f.company_id = due.company_id
    ), recorded as (
      insert into event_outbox (company_id, event, subject_id, count)
      select company_id, 'security_remediation_deadline', environment_id, count(*) from due
      group by company_id, environment_id
    )
    select count(*)::int as reminded from due`.execute(trx)
  return rows[0]?.reminded ?? 0
}
