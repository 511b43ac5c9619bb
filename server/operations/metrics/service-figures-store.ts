import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'

/** More of a kind are not counted: counting them would cost more than the number is worth. */
const countedMax = 100_000

export interface ServiceFigures {
  /** Queued runs of companies with a run at work, and of those without. */
  queued_beside_others: number
  queued_alone: number
  oldest_beside_others: number
  oldest_alone: number
  builds_queued: number
  oldest_build: number
  webhooks_waiting: number
  mails_waiting: number
  audit_lag: number
  lock_waits: number
}

/** Numbers of the whole database, in one statement. Times are ages in seconds; 0: nothing waits. */
export async function readServiceFigures(db: Executing): Promise<ServiceFigures> {
  const { rows } = await sql<ServiceFigures>`${acrossCompanies('numbers about all companies together')}
    with queued as (
      select company_id, count(*) as runs, min(queued_at) as oldest from runs where state = 'queued' group by company_id
    ), at_work as (
      select distinct company_id from runs where state in ('starting', 'running', 'cancel_requested')
    ), of_class as (
      select at_work.company_id is not null as beside, sum(runs)::float8 as runs, min(oldest) as oldest
      from queued left join at_work using (company_id) group by 1
    )
    select
      coalesce((select runs from of_class where beside), 0) as queued_beside_others,
      coalesce((select runs from of_class where not beside), 0) as queued_alone,
      ${age(sql`select oldest from of_class where beside`)} as oldest_beside_others,
      ${age(sql`select oldest from of_class where not beside`)} as oldest_alone,
      (select count(*) from build_attempts where state = 'validation_queued') as builds_queued,
      ${age(sql`select min(queued_at) from build_attempts where state = 'validation_queued'`)} as oldest_build,
      ${upTo(sql`select from webhook_deliveries where outcome is null`)} as webhooks_waiting,
      ${upTo(sql`select from mail_deliveries where outcome is null`)} as mails_waiting,
      ${age(sql`select at from audit_pending order by id limit 1`)} as audit_lag,
      (select count(*) from pg_locks where not granted) as lock_waits`.execute(db)
  const [figures] = rows
  if (!figures) throw new Error('a statement without a table has no row')
  return figures
}

const age = (at: ReturnType<typeof sql>) =>
  sql`coalesce(greatest(extract(epoch from clock_timestamp() - (${at}))::float8, 0), 0)`

const upTo = (rows: ReturnType<typeof sql>) =>
  sql`(select count(*) from (${rows} limit ${countedMax}) counted)`
