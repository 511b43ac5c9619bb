import { sql } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'

/*
 * Reads of the queue, each bounded: none grows with the number of queued runs. Fixed bounds are part of the statements'
 * text, so that one plan serves all calls.
 */

/**
 * Places of the queue that are told; behind them a run has none. No bound of a queue is above it, so only quick runs of
 * a hosted deployment come so far, and what a look costs does not grow with the queue.
 */
const placesTold = 200
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
  /** 1 is next; null where the queue is too long to tell. */
  place: number | null
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

/**
 * How the queue looks from each of a company's queued runs; runs that are not queued are absent. The front of the queue
 * and the durations of a profile are read once, however many runs are asked for.
 */
export async function queueView(db: Executing, options: QueueViewOptions): Promise<QueueView[]> {
  const { companyId, ids } = options
  const within = options.withinCompany ? sql` and company_id = ${companyId}` : sql``
  const { rows } = await sql<QueueView>`
    with asked as (
      select id, resource_profile from runs
      where id = any(${ids}) and company_id = ${companyId} and state = 'queued'
    ), live as (
      select count(*) filter (where company_id = ${companyId}) as company_live, count(*) as fleet_live
      from runs where state in ('starting', 'running', 'cancel_requested')
    ), front as (
      select id, row_number() over (order by queued_at, id) as place
      from (
        select queued_at, id from runs where state = 'queued'${within}
        order by queued_at, id limit ${sql.lit(placesTold)}
      ) oldest
    ), recent as (
      select profile.resource_profile,
        avg(extract(epoch from ended.terminal_at - ended.started_at))::float8 as mean_seconds
      from (select distinct resource_profile from asked) profile
      cross join lateral (
        select e.terminal_at, e.started_at from runs e
        where e.company_id = ${companyId} and e.resource_profile = profile.resource_profile
          and e.terminal_at is not null and e.started_at is not null
        order by e.terminal_at desc limit ${sql.lit(durationsSampled)}
      ) ended
      group by profile.resource_profile
    )
    select asked.id, front.place, recent.mean_seconds, live.company_live, live.fleet_live
    from asked
    cross join live
    left join front using (id)
    left join recent using (resource_profile)
  `.execute(db)
  return rows
}
