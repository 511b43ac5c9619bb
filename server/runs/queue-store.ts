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

export interface LiveRuns {
  company: number
  fleet: number
}

/** Runs that hold a place on a host. */
export async function liveRuns(db: Executing, companyId: string): Promise<LiveRuns> {
  const { rows } = await sql<LiveRuns>`
    select count(*) filter (where company_id = ${companyId}) as company, count(*) as fleet
    from runs where state in ('starting', 'running', 'cancel_requested')
  `.execute(db)
  return rows[0] ?? { company: 0, fleet: 0 }
}

/**
 * Places in the queue by run id, 1 for the oldest: among the company's queued runs, or everyone's without a company.
 * Runs that are not queued, and those too far behind to count, are absent.
 */
export async function queuePositions(
  db: Executing,
  ids: readonly string[],
  companyId: string | undefined,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const among = companyId === undefined ? sql`` : sql` and q.company_id = ${companyId}`
  const { rows } = await sql<{ id: string; ahead: number }>`
    select r.id, (
      select count(*) from (
        select 1 from runs q
        where q.state = 'queued' and (q.queued_at, q.id) < (r.queued_at, r.id)${among}
        limit ${countedMax}
      ) older
    ) as ahead
    from runs r where r.id = any(${ids}) and r.state = 'queued'
  `.execute(db)
  return new Map(rows.filter((row) => row.ahead < countedMax).map((row) => [row.id, row.ahead + 1]))
}

/** Mean seconds that the company's latest runs took, by profile; profiles without a history are absent. */
export async function meanRunSeconds(
  db: Executing,
  companyId: string,
  profiles: readonly string[],
): Promise<Map<string, number>> {
  if (profiles.length === 0) return new Map()
  const { rows } = await sql<{ profile: string; seconds: number }>`
    select p.profile, recent.seconds
    from unnest(${profiles}::text[]) as p(profile)
    cross join lateral (
      select avg(extract(epoch from ended.terminal_at - ended.started_at))::float8 as seconds
      from (
        select terminal_at, started_at from runs
        where company_id = ${companyId} and resource_profile = p.profile
          and terminal_at is not null and started_at is not null
        order by terminal_at desc limit ${durationsSampled}
      ) ended
    ) recent
    where recent.seconds is not null
  `.execute(db)
  return new Map(rows.map((row) => [row.profile, row.seconds]))
}
