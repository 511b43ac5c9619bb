import { runContentRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { ExpiredRun } from './run-retention-store.ts'

/* Writes events of content that expires, one for each submitter, and the table `content_expiry_notices`. */

/** Records the expiry of those runs whose content is not hidden yet. Call it before it is hidden. */
export async function recordExpired(trx: Trx, runs: readonly ExpiredRun[]): Promise<void> {
  const runIds = runs.map(({ id }) => id)
  const companyIds = [...new Set(runs.map(({ company_id }) => company_id))]
  await sql`
    insert into event_outbox (company_id, event, subject_id, count)
    select r.company_id, 'run_content_expired', r.principal_id, count(*)
    from runs r join run_contents c on c.run_id = r.id and c.company_id = r.company_id
    where r.id = any(${runIds}::text[]) and r.company_id = any(${companyIds}::text[])
      and r.principal_type = 'user' and c.state = 'active'
    group by r.company_id, r.principal_id
  `.execute(trx)
}

/** Days between the notice and the expiry. */
const noticeDays = 3

/**
 * Records the content that will expire in three days, once for each run: by whole days, so that a submitter has one notice a
 * day. A company that keeps content no longer than that gets none. Returns the number of companies that were looked at.
 */
export async function recordExpiring(db: Database, now: Date, limit: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ company_id: string }>`${acrossCompanies('a sweep of all companies')}
      with due as (
        select c.id as company_id, n.ended_before as since, date_trunc('day', ${now}::timestamptz, 'UTC')
          - make_interval(days => coalesce(s.run_content_retention_days, ${runContentRetentionDefaultDays}) - ${noticeDays})
          as until
        from companies c
        left join company_settings s on s.company_id = c.id
        left join content_expiry_notices n on n.company_id = c.id
        where coalesce(s.run_content_retention_days, ${runContentRetentionDefaultDays}) > ${noticeDays}
      ), looked_at as (
        insert into content_expiry_notices (company_id, ended_before)
        select company_id, until from due where since is null or since < until order by company_id limit ${limit}
        on conflict (company_id) do update set ended_before = excluded.ended_before
        where content_expiry_notices.ended_before < excluded.ended_before
        returning company_id
      ), recorded as (
        insert into event_outbox (company_id, event, subject_id, count)
        select r.company_id, 'run_content_expiring', r.principal_id, count(*)
        from looked_at join due using (company_id) join runs r using (company_id)
        where r.terminal_at >= coalesce(due.since, due.until - interval '1 day') and r.terminal_at < due.until
          and r.content_expired_at is null and r.principal_type = 'user'
        group by r.company_id, r.principal_id
      )
      select company_id from looked_at
    `.execute(trx)
    return rows.length
  })
}
