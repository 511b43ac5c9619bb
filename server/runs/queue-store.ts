import { sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'

/* Reads of the queue, each bounded: none grows with the number of queued runs. */

/** Queued runs are counted up to here; a position behind it is not told. */
const countedMax = 1000
/** Ended runs whose duration stands for that of the next ones. */
const durationsSampled = 20

/**
 * Holds the company's queue until the transaction ends: of submissions that arrive together each sees the ones before
 * it, so that the limit is exact. The key is a space of our own, beside the hash of the company.
 */
export async function lockCompanyQueue(trx: Trx, companyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(7203, hashtext(${companyId}))`.execute(trx)
}

export interface QueueDepth {
  company: number
  fleet: number
}

/** Queued runs, counted up to the given limits. */
export async function queueDepth(db: Executing, companyId: string, most: QueueDepth): Promise<QueueDepth> {
  const { rows } = await sql<QueueDepth>`
    select
      (select count(*) from (
        select 1 from runs where state = 'queued' and company_id = ${companyId} limit ${most.company}) c) as company,
      (select count(*) from (select 1 from runs where state = 'queued' limit ${most.fleet}) f) as fleet
  `.execute(db)
  return rows[0] ?? { company: 0, fleet: 0 }
}

export interface QueueView {
  id: string
  /** Older queued runs, counted up to a bound; at the bound there may be more. */
  ahead: number
  /** Mean seconds of the company's latest runs of the same profile; null without any. */
  mean_seconds: number | null
  /** Runs that hold a place on a host. */
  company_live: number
  fleet_live: number
}

export interface QueueViewOptions {
  companyId: string
  ids: readonly string[]
  /** Count only the company's own runs as ahead. */
  withinCompany: boolean
}

/** How the queue looks from each of a company's queued runs; runs that are not queued are absent. */
export async function queueView(db: Executing, options: QueueViewOptions): Promise<QueueView[]> {
  const { companyId, ids } = options
  const within = options.withinCompany ? sql` and q.company_id = ${companyId}` : sql``
  const { rows } = await sql<QueueView>`
    select r.id, older.ahead, recent.mean_seconds, live.company_live, live.fleet_live
    from runs r
    cross join (
      select count(*) filter (where company_id = ${companyId}) as company_live, count(*) as fleet_live
      from runs where state in ('starting', 'running', 'cancel_requested')
    ) live
    cross join lateral (
      select count(*) as ahead from (
        select 1 from runs q
        where q.state = 'queued' and (q.queued_at, q.id) < (r.queued_at, r.id)${within}
        limit ${countedMax}
      ) counted
    ) older
    cross join lateral (
      select avg(extract(epoch from ended.terminal_at - ended.started_at))::float8 as mean_seconds
      from (
        select terminal_at, started_at from runs e
        where e.company_id = r.company_id and e.resource_profile = r.resource_profile
          and e.terminal_at is not null and e.started_at is not null
        order by e.terminal_at desc limit ${durationsSampled}
      ) ended
    ) recent
    where r.id = any(${ids}) and r.company_id = ${companyId} and r.state = 'queued'
  `.execute(db)
  return rows
}

/** The place of a run with so many ahead of it; null where they were not all counted. */
export const positionAfter = (ahead: number): number | null => (ahead < countedMax ? ahead + 1 : null)
