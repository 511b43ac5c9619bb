import { type RawBuilder, sql } from 'kysely'
import type { Database, Executing, Trx } from '../db/database.ts'
import { hasAgent, isDriven } from './executor-statement.ts'
import { type Driver, heartbeatSeconds } from './heartbeat-statement.ts'
import { endHeartbeat, renewHeartbeat, startHeartbeat } from './heartbeat-store.ts'

/** The requester of the lease of an executor. */
export interface LeaseClaim extends Driver {
  folder: string
  boot: string
  place: string
  /** Ids of the keys that sign images. */
  keys: string[]
  /** Where objects are. */
  store: string
  /** Numbers by name, for those who ask for the capacity of all executors. */
  capacity: object
}

/** An executor with the worker that drives it. Compare `leaseUntil` only for equality. */
export interface LeaseHolder extends Omit<LeaseClaim, 'capacity'> {
  leaseUntil: string
  draining: boolean
}

const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${sql.lit(heartbeatSeconds)})`

/** After a gap the lease counts as held from now on. */
const heldSince = sql`case when lease_until > clock_timestamp() then held_since else clock_timestamp() end`

const columns = sql`id as executor, folder, boot, worker, place, keys, store, draining, lease_until::text as "leaseUntil"`

/**
 * Takes the lease of an executor if it was released, if nobody had it, or if its holder was a process of the same folder and
 * either of this kernel boot or without a valid lease: that process is gone, or finds out that it was replaced. A copy of the
 * holder's folder gets it only after a release. Nobody gets it while another executor is driven by a worker with other keys or
 * other objects. With the lease the heartbeats of earlier workers of the executor end, so that their runs are taken over at
 * once. Returns the holder afterwards, or that other executor.
 */
export function claimLease(db: Database, claim: LeaseClaim): Promise<LeaseHolder> {
  return db
    .transaction()
    .execute(async (trx) => (await lockOther(trx, claim)) ?? (await takeLease(trx, claim)))
}

/** Another executor whose worker has other keys or other objects. Until the transaction ends, nobody else takes a lease. */
async function lockOther(trx: Trx, { executor, keys, store }: LeaseClaim): Promise<LeaseHolder | undefined> {
  // One claim at a time, or two would not see each other.
  await sql`select pg_advisory_xact_lock(hashtextextended('executor-leases', 0))`.execute(trx)
  const { rows } = await sql<LeaseHolder>`
    select ${columns} from executors
    where id <> ${executor} and ${isDriven} and (store <> ${store} or not keys && ${keys}::text[])
    limit 1
  `.execute(trx)
  return rows[0]
}

async function takeLease(trx: Trx, claim: LeaseClaim): Promise<LeaseHolder> {
  const { executor, folder, boot, worker, place, keys, store } = claim
  const capacity = JSON.stringify(claim.capacity)
  await sql`
    insert into executors as held (id, folder, boot, worker, place, keys, store, capacity, lease_until)
    values (${executor}, ${folder}, ${boot}, ${worker}, ${place}, ${keys}, ${store}, ${capacity}, ${leaseEnd})
    on conflict (id) do update set folder = excluded.folder, boot = excluded.boot, worker = excluded.worker,
      place = excluded.place, keys = excluded.keys, store = excluded.store, capacity = excluded.capacity,
      lease_until = excluded.lease_until, held_since = excluded.held_since, released = false
    where held.released
      or (held.folder = excluded.folder and (held.boot = excluded.boot or held.lease_until < clock_timestamp()))
  `.execute(trx)
  const holder = await findHolder(trx, executor)
  if (!holder) throw new Error('the executor has gone from the database')
  if (holder.worker === worker) await startHeartbeat(trx, claim)
  return holder
}

/**
 * Renews the lease of this worker and its heartbeat, and records the keys that it has by now. One that has run out is renewed only
 * if a claim would not be refused by now. Returns the holder afterwards, or another executor as `claimLease` does; undefined: the
 * executor was removed.
 */
export async function renewExecutorLease(db: Database, claim: LeaseClaim): Promise<LeaseHolder | undefined> {
  await renewHeartbeat(db, claim.worker)
  const renewed = await extendLease(db, claim, sql`lease_until > clock_timestamp()`)
  if (renewed) return renewed
  return db.transaction().execute(async (trx) => {
    const other = await lockOther(trx, claim)
    if (other) return other
    return (await extendLease(trx, claim, sql`true`)) ?? (await findHolder(trx, claim.executor))
  })
}

/** Undefined: this worker does not have the lease, or it is not as in `which`. */
async function extendLease(
  db: Executing,
  { executor, worker, keys }: LeaseClaim,
  which: RawBuilder<unknown>,
): Promise<LeaseHolder | undefined> {
  const { rows } = await sql<LeaseHolder>`
    update executors set lease_until = ${leaseEnd}, held_since = ${heldSince}, keys = ${keys}
    where id = ${executor} and worker = ${worker} and not released and ${which}
    returning ${columns}
  `.execute(db)
  return rows[0]
}

/** Releases the lease, so that any folder may take it at once, and ends the heartbeat. */
export async function releaseExecutorLease(db: Database, worker: string): Promise<void> {
  await endHeartbeat(db, worker)
  await sql`update executors set released = true where worker = ${worker}`.execute(db)
}

/** Records that the host agent of this worker's executor has answered. */
export async function recordAgentSeen(db: Database, worker: string): Promise<void> {
  await sql`update executors set agent_seen_at = clock_timestamp() where worker = ${worker}`.execute(db)
}

/** The processes that work on this database now. */
export interface Presence {
  hasWorker: boolean
  hostAgent: boolean
}

/** Whether a worker drives an executor, and whether a host agent has answered within the time of a lease. */
export async function readPresence(db: Database): Promise<Presence> {
  const { rows } = await sql<Presence>`
    select coalesce(bool_or(${isDriven}), false) as "hasWorker",
      coalesce(bool_or(${hasAgent}), false) as "hostAgent"
    from executors
  `.execute(db)
  return rows[0] ?? { hasWorker: false, hostAgent: false }
}

async function findHolder(db: Executing, executor: string): Promise<LeaseHolder | undefined> {
  const { rows } = await sql<LeaseHolder>`select ${columns} from executors where id = ${executor}`.execute(db)
  return rows[0]
}
