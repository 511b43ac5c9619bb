import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { type PricedRow, pricedColumns, pricedJoins } from '../../billing/holds/price-statement.ts'
import { isOpen, openCapacities } from '../../capacity/fleet-capacity-statement.ts'
import { allLiveRuns, changedLiveRuns, liveRunsOfCompany } from '../../capacity/live-runs-statement.ts'
import { waitingBuild } from '../../capacity/memory-reservation-statement.ts'
import { promisedBuildMemoryMib, promisedMemoryMib } from '../../capacity/promised-memory-statement.ts'
import type { RunCapacity } from '../../capacity/run-capacity.ts'
import { hasRunOverBound } from '../../capacity/waiting-companies-statement.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { arrayParam, opaqueParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'
import { keptBytesOf, keptLimitOf } from '../../db/kept-bytes.ts'

/*
 * Bounded reads of the queue: no cost grows with the number of queued runs. Fixed bounds are part of the statement text,
 * and variable ones are hidden from the planner, so that one plan serves all calls.
 */

/**
 * Queue positions are reported up to this one; runs behind it have none. No queue bound is above it, so only quick runs
 * of a hosted deployment get so far, and the cost of a read does not grow with the queue.
 */
export const positionsReported = 200
/** Number of ended runs whose mean duration estimates that of the next runs. */
const durationsSampled = 20

export interface QueueDepth {
  company: number
  fleet: number
}

/** The capacity in use and the bounds of a company, which decide what its runs wait for. */
export interface CapacityInUse {
  /** Runs that hold a slot on a host. */
  company_live: number
  fleet_live: number
  /** Memory promised to these and to active builds, in MiB. */
  fleet_memory_mib: number
  /** Memory that a waiting build reserves, in MiB. */
  fleet_reserved_mib: number
  /** Of the executors that workers drive and that do not drain, as all numbers of the fleet; null: there are none. */
  fleet_capacity: RunCapacity[] | null
  /** The operator's setting for the company; null: the default applies. */
  run_concurrency_limit: number | null
  run_timeout_bound_seconds: number | null
  /** A run of the company that holds a slot is above that bound. */
  has_run_over_bound: boolean
}

/** Queue depth, capacity and price for runs of one company and profile. */
export interface QueueSnapshot extends CapacityInUse, PricedRow {
  company_id: string
  resource_profile: string
  /** Queued runs, counted up to `most`. */
  company_queued: number
  fleet_queued: number
  /** The operator's setting for the company; null: the default applies. */
  queued_run_limit: number | null
  /** Bytes that the company stores and may store; null: no limit. */
  kept_bytes: number
  kept_bytes_limit: number | null
  /** Mean seconds of the company's latest runs of the profile; null without any, or if durations were not requested. */
  mean_seconds: number | null
  /** By the clock of the database, in whole milliseconds. */
  now: Date
}

export interface SnapshotOptions {
  kinds: readonly { companyId: string; resourceProfile: string }[]
  /** Maximum number of queued runs to count. */
  most: QueueDepth
  durations: boolean
  /** Regions of the deployment. */
  regions: readonly string[]
}

/** Reads the queues of several companies with one statement: one row for each kind of run. */
export function readQueueSnapshots(
  trx: QueryExecutorProvider,
  { kinds, most, durations, regions }: SnapshotOptions,
): Promise<QueueSnapshot[]> {
  const statement = durations ? snapshotWithDurations : snapshotWithoutDurations
  return statement(trx, {
    companyIds: kinds.map(({ companyId }) => companyId),
    resourceProfiles: kinds.map(({ resourceProfile }) => resourceProfile),
    companyMost: most.company,
    fleetMost: most.fleet,
    regions: [...regions],
  })
}

interface SnapshotColumns extends Record<string, unknown> {
  companyIds: string[]
  resourceProfiles: string[]
  companyMost: number
  fleetMost: number
  regions: string[]
}

/** Memory promised to active builds, in MiB. */
const buildMemoryInUse = sql`(
  select coalesce(sum(${promisedBuildMemoryMib('build_profile')}), 0) from build_attempts
  where worker is not null and terminal_at is null and ${isOpen(sql`worker`)})`

/** Memory that waiting builds reserve, in MiB. */
const reservedMemory = sql`coalesce((
  select sum(memory) from (${waitingBuild(promisedBuildMemoryMib('build_profile'))}) waiting_build), 0)`

const snapshotStatement = (mean: () => RawBuilder<unknown>) =>
  prepared<SnapshotColumns, QueueSnapshot>(
    ({
      companyIds,
      resourceProfiles,
      companyMost,
      fleetMost,
      regions,
    }) => sql`${acrossCompanies('counts what all companies wait for')}
    with ${changedLiveRuns}, fleet as materialized (
      select
        (select count(*) from (select 1 from runs where state = 'queued' limit ${opaqueParam(fleetMost, 'bigint')}) q)
          as fleet_queued,
        live.runs as fleet_live, live.memory + ${buildMemoryInUse} as fleet_memory_mib,
        ${reservedMemory} as fleet_reserved_mib, ${openCapacities} as fleet_capacity, date_trunc('milliseconds', clock_timestamp()) as now
      from (${allLiveRuns(promisedMemoryMib, isOpen(sql`executor`))}) live
    )
    select requested.company_id, requested.resource_profile, fleet.*, ${mean()} as mean_seconds,
      ${pricedColumns},
      own.run_concurrency_limit, own.queued_run_limit, own.run_timeout_bound_seconds,
      ${hasRunOverBound} as has_run_over_bound,
      ${keptBytesOf(sql`requested.company_id`)} as kept_bytes, ${keptLimitOf(sql`requested.company_id`)} as kept_bytes_limit,
      (select count(*) from (
        select 1 from runs where state = 'queued' and company_id = requested.company_id
        limit ${opaqueParam(companyMost, 'bigint')}
      ) q) as company_queued,
      ${liveRunsOfCompany(sql`requested.company_id`)} as company_live
    from unnest(${arrayParam(companyIds, 'text')}, ${arrayParam(resourceProfiles, 'text')})
      as requested (company_id, resource_profile)
    left join company_settings own using (company_id)
    cross join fleet
    ${pricedJoins({
      kind: 'run',
      company: sql`requested.company_id`,
      profile: sql`requested.resource_profile`,
      regions: sql`array(
        select code from unnest(${arrayParam(regions, 'text')}) as region (code)
        where own.allowed_regions is null or code = any(own.allowed_regions))`,
      now: sql`fleet.now`,
    })}
  `,
  )

const snapshotWithoutDurations = snapshotStatement(() => sql`null::float8`)
const snapshotWithDurations = snapshotStatement(() => sql`(${meanSeconds('requested')})`)

/** Mean seconds of the latest runs of the company and profile that `kind` names. */
const meanSeconds = (kind: string) => sql`
  select avg(extract(epoch from ended.terminal_at - ended.started_at))::float8 from (
    select e.terminal_at, e.started_at from runs e
    where e.company_id = ${sql.ref(`${kind}.company_id`)}
      and e.resource_profile = ${sql.ref(`${kind}.resource_profile`)}
      and e.terminal_at is not null and e.started_at is not null
    order by e.terminal_at desc limit ${sql.lit(durationsSampled)}
  ) ended`

export interface QueueView extends CapacityInUse {
  id: string
  resource_profile: string
  timeout_seconds: number
  /** Another run holds its session. */
  waits_for_session: boolean
  /** 1 is next; null beyond `positionsReported`. */
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
 * The queue as each of these runs sees it; runs that are not queued are absent. The head of a queue and the durations of
 * a profile are read once, however many runs are requested. Runs are read by id and their state is compared afterwards:
 * otherwise the planner might choose an index of the queue.
 */
export async function queueView(
  db: Executing,
  { runs, withinCompany }: QueueViewOptions,
): Promise<QueueView[]> {
  const front = withinCompany
    ? sql`select ahead.* from (select distinct company_id from requested) company cross join lateral (
        ${queueHead(sql`and company_id = company.company_id`)}) ahead`
    : queueHead(sql``)
  const { rows } = await sql<QueueView>`${acrossCompanies('counts the runs of all companies that are ahead')}
    with requested as (
      select requested.id, requested.company_id, run.resource_profile, run.timeout_seconds,
        run.waits_for_session
      from unnest(
        ${arrayParam(
          runs.map(({ id }) => id),
          'text',
        )}, ${arrayParam(
          runs.map(({ company_id }) => company_id),
          'text',
        )}
      ) as requested (id, company_id)
      cross join lateral (
        select company_id, resource_profile, timeout_seconds, state, waits_for_session from runs where runs.id = requested.id limit 1
      ) run
      where run.state = 'queued' and run.company_id = requested.company_id
    ), ${changedLiveRuns}, fleet as materialized (
      select live.runs as fleet_live, (live.memory + ${buildMemoryInUse})::bigint as fleet_memory_mib,
        ${reservedMemory} as fleet_reserved_mib, ${openCapacities} as fleet_capacity
      from (${allLiveRuns(promisedMemoryMib, isOpen(sql`executor`))}) live
    ), front as materialized (
      ${front}
    ), recent as materialized (
      select company_id, resource_profile, (${meanSeconds('profile')}) as mean_seconds
      from (select distinct company_id, resource_profile from requested) profile
    )
    select requested.id, requested.resource_profile, requested.timeout_seconds, requested.waits_for_session, front.place, recent.mean_seconds,
      ${liveRunsOfCompany(sql`requested.company_id`)} as company_live, fleet.*, own.run_concurrency_limit, own.run_timeout_bound_seconds,
      ${hasRunOverBound} as has_run_over_bound
    from requested cross join fleet
    left join company_settings own using (company_id)
    left join front using (id)
    left join recent using (company_id, resource_profile)
  `.execute(db)
  return rows
}

/** The first positions of a queue. */
const queueHead = (whose: RawBuilder<unknown>) => sql`
  select id, row_number() over (order by queued_at, id) as place
  from (
    select queued_at, id from runs where state = 'queued' ${whose}
    order by queued_at, id limit ${sql.lit(positionsReported)}
  ) oldest`
