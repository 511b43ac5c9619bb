import { type RawBuilder, sql } from 'kysely'
import { buildMemoryMib, promisedMemoryMib } from '../builds/promised-memory-statement.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Sending } from '../db/database.ts'
import { keptBytesOf, keptLimitOf } from '../db/kept-bytes.ts'
import { listOf } from '../db/list-of.ts'
import { prepared } from '../db/prepared.ts'
import { unseen } from '../db/unseen.ts'

/*
 * Reads of the queue, each bounded: none grows with the number of queued runs. Fixed bounds are part of the statements'
 * text and others unseen by the planner, so that one plan serves all calls.
 */

/**
 * Places of the queue that are told; behind them a run has none. No bound of a queue is above it, so only quick runs of
 * a hosted deployment come so far, and what a look costs does not grow with the queue.
 */
export const placesTold = 200
/** Ended runs whose duration stands for that of the next ones. */
const durationsSampled = 20

/**
 * Holds queues until the transaction ends: of submissions that arrive together each sees the ones before it, so that
 * limits are exact. Taken in one order by all, so that no two wait for each other; the keys are a space of our own.
 */
export async function lockQueues(trx: Sending, whose: 'fleet' | readonly string[]): Promise<void> {
  if (whose === 'fleet') await lockFleet(trx, {})
  else await lockCompanies(trx, { ids: whose })
}

const companyLock = 7203
const fleetLock = 7204

const lockFleet = prepared(() => sql`select pg_advisory_xact_lock(${sql.lit(fleetLock)}, 0)`)

const lockCompanies = prepared<{ ids: readonly string[] }, unknown>(
  ({ ids }) => sql`
    select pg_advisory_xact_lock(${sql.lit(companyLock)}, key)
    from (select distinct hashtext(id) as key from unnest(${listOf(ids, 'text')}) as company (id) order by key) keys
  `,
)

export interface QueueDepth {
  company: number
  fleet: number
}

/** What holds up the runs of a company: who has the places and the memory, and its own bounds. */
export interface HeldPlaces {
  /** Runs that hold a place on a host. */
  company_live: number
  fleet_live: number
  /** What these and the builds under way were promised, in MiB. */
  fleet_memory_mib: number
  /** What the operator has set for the company; null: nothing of its own. */
  run_concurrency_limit: number | null
  run_timeout_bound_seconds: number | null
  /** Runs of the company that hold a place and are over that bound. */
  company_over_bound: number
}

/** How full things are for runs of one company and profile. */
export interface QueueLook extends HeldPlaces {
  company_id: string
  resource_profile: string
  /** Queued runs, counted up to what was asked. */
  company_queued: number
  fleet_queued: number
  /** What the operator has set for the company; null: nothing of its own. */
  queued_run_limit: number | null
  /** Bytes that the company keeps, and may keep; null: without bound. */
  kept_bytes: number
  kept_bytes_limit: number | null
  /** Mean seconds of the company's latest runs of the profile; null without any, or where it was not asked. */
  mean_seconds: number | null
  /** By the clock of the database, in whole milliseconds. */
  now: Date
}

export interface LookOptions {
  kinds: readonly { companyId: string; resourceProfile: string }[]
  /** Queued runs that are counted at most. */
  most: QueueDepth
  durations: boolean
}

/** Looks at the queues of several companies at once: one row for each kind of run. */
export function lookAtQueues(trx: Sending, { kinds, most, durations }: LookOptions): Promise<QueueLook[]> {
  const look = durations ? lookWithDurations : lookWithout
  return look(trx, {
    companyIds: kinds.map(({ companyId }) => companyId),
    resourceProfiles: kinds.map(({ resourceProfile }) => resourceProfile),
    companyMost: most.company,
    fleetMost: most.fleet,
  })
}

interface LookColumns extends Record<string, unknown> {
  companyIds: string[]
  resourceProfiles: string[]
  companyMost: number
  fleetMost: number
}

/** What builds under way were promised. */
const buildsMemory = sql`(
  select coalesce(sum(${buildMemoryMib('build_profile')}), 0) from build_attempts
  where worker is not null and terminal_at is null)`

/** Live runs of a company that are over the bound that `own` has for it; of most there is none to look for. */
const liveOverBound = (company: string) => sql`
  case when own.run_timeout_bound_seconds is null then 0 else (
    select count(*) from runs
    where state in ('starting', 'running', 'cancel_requested') and company_id = ${sql.ref(company)}
      and timeout_seconds > own.run_timeout_bound_seconds
  ) end`

const lookOf = (mean: () => RawBuilder<unknown>) =>
  prepared<LookColumns, QueueLook>(
    ({
      companyIds,
      resourceProfiles,
      companyMost,
      fleetMost,
    }) => sql`${acrossCompanies('counts what all companies wait for')}
    with fleet as materialized (
      select
        (select count(*) from (select 1 from runs where state = 'queued' limit ${unseen(fleetMost, 'bigint')}) q)
          as fleet_queued,
        live.runs as fleet_live, live.memory + ${buildsMemory} as fleet_memory_mib,
        date_trunc('milliseconds', clock_timestamp()) as now
      from (
        select count(*) as runs, coalesce(sum(${promisedMemoryMib('resource_profile')}), 0) as memory
        from runs where state in ('starting', 'running', 'cancel_requested')
      ) live
    )
    select asked.company_id, asked.resource_profile, fleet.*, ${mean()} as mean_seconds,
      own.run_concurrency_limit, own.queued_run_limit, own.run_timeout_bound_seconds,
      ${liveOverBound('asked.company_id')} as company_over_bound,
      ${keptBytesOf(sql`asked.company_id`)} as kept_bytes, ${keptLimitOf(sql`asked.company_id`)} as kept_bytes_limit,
      (select count(*) from (
        select 1 from runs where state = 'queued' and company_id = asked.company_id
        limit ${unseen(companyMost, 'bigint')}
      ) q) as company_queued,
      (select count(*) from runs
        where state in ('starting', 'running', 'cancel_requested') and company_id = asked.company_id) as company_live
    from unnest(${listOf(companyIds, 'text')}, ${listOf(resourceProfiles, 'text')})
      as asked (company_id, resource_profile)
    left join company_settings own using (company_id)
    cross join fleet
  `,
  )

const lookWithout = lookOf(() => sql`null::float8`)
const lookWithDurations = lookOf(() => sql`(${meanSeconds('asked')})`)

/** Mean seconds of the latest runs of the company and profile that `kind` names. */
const meanSeconds = (kind: string) => sql`
  select avg(extract(epoch from ended.terminal_at - ended.started_at))::float8 from (
    select e.terminal_at, e.started_at from runs e
    where e.company_id = ${sql.ref(`${kind}.company_id`)}
      and e.resource_profile = ${sql.ref(`${kind}.resource_profile`)}
      and e.terminal_at is not null and e.started_at is not null
    order by e.terminal_at desc limit ${sql.lit(durationsSampled)}
  ) ended`

export interface QueueView extends HeldPlaces {
  id: string
  resource_profile: string
  timeout_seconds: number
  /** 1 is next; null where the queue is too long to tell. */
  place: number | null
  /** Mean seconds of the company's latest runs of the same profile; null without any. */
  mean_seconds: number | null
}

export interface QueueViewOptions {
  runs: readonly { id: string; company_id: string }[]
  /** Count only the company's own runs as ahead. */
  withinCompany: boolean
}

/**
 * How the queue looks from each of these runs; those that are not queued are absent. The front of a queue and the
 * durations of a profile are read once, however many runs are asked for. Runs are read by their ids and asked for their
 * state afterwards, or an index of the queue would seem as good as that of the ids.
 */
export async function queueView(
  db: Executing,
  { runs, withinCompany }: QueueViewOptions,
): Promise<QueueView[]> {
  const front = withinCompany
    ? sql`select ahead.* from (select distinct company_id from asked) company cross join lateral (
        ${frontOf(sql`and company_id = company.company_id`)}) ahead`
    : frontOf(sql``)
  const { rows } = await sql<QueueView>`${acrossCompanies('counts the runs of all companies that are ahead')}
    with asked as (
      select asked.id, asked.company_id, run.resource_profile, run.timeout_seconds
      from unnest(
        ${listOf(
          runs.map(({ id }) => id),
          'text',
        )}, ${listOf(
          runs.map(({ company_id }) => company_id),
          'text',
        )}
      ) as asked (id, company_id)
      cross join lateral (
        select company_id, resource_profile, timeout_seconds, state from runs where runs.id = asked.id limit 1
      ) run
      where run.state = 'queued' and run.company_id = asked.company_id
    ), live as (
      select company_id, count(*) as runs, sum(${promisedMemoryMib('resource_profile')}) as memory from runs
      where state in ('starting', 'running', 'cancel_requested') group by company_id
    ), fleet as materialized (
      select coalesce(sum(runs), 0)::bigint as fleet_live,
        (coalesce(sum(memory), 0) + ${buildsMemory})::bigint as fleet_memory_mib
      from live
    ), front as materialized (
      ${front}
    ), recent as materialized (
      select company_id, resource_profile, (${meanSeconds('profile')}) as mean_seconds
      from (select distinct company_id, resource_profile from asked) profile
    )
    select asked.id, asked.resource_profile, asked.timeout_seconds, front.place, recent.mean_seconds,
      coalesce(live.runs, 0) as company_live, fleet.*, own.run_concurrency_limit, own.run_timeout_bound_seconds,
      ${liveOverBound('asked.company_id')} as company_over_bound
    from asked cross join fleet
    left join company_settings own using (company_id)
    left join live using (company_id)
    left join front using (id)
    left join recent using (company_id, resource_profile)
  `.execute(db)
  return rows
}

/** The first places of a queue. */
const frontOf = (whose: RawBuilder<unknown>) => sql`
  select id, row_number() over (order by queued_at, id) as place
  from (
    select queued_at, id from runs where state = 'queued' ${whose}
    order by queued_at, id limit ${sql.lit(placesTold)}
  ) oldest`
