import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** The requester of the lease. */
export interface LeaseClaim {
  machine: string
  folder: string
  boot: string
  session: string
  place: string
}

/** The holder of the lease. Compare `leaseUntil` only for equality. */
export interface LeaseHolder extends LeaseClaim {
  leaseUntil: string
}

/** A holder that has not renewed the lease for this long is gone. */
export const machineLeaseSeconds = 20

const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${sql.lit(machineLeaseSeconds)})`

/**
 * Takes the lease if it was released or has expired, or if its holder was a process of the same folder and kernel boot, which
 * is gone or finds out that it was replaced. A copy of the holder's folder gets it only after a release. The host agent of
 * another machine has not been seen yet. Returns the holder afterwards.
 */
export async function claimLease(db: Database, claim: LeaseClaim): Promise<LeaseHolder> {
  const { machine, folder, boot, session, place } = claim
  await sql`
    insert into machine_lease as held (machine, folder, boot, session, place, lease_until)
    values (${machine}, ${folder}, ${boot}, ${session}, ${place}, ${leaseEnd})
    on conflict (singleton) do update set machine = excluded.machine, folder = excluded.folder,
      boot = excluded.boot, session = excluded.session, place = excluded.place,
      lease_until = excluded.lease_until, released = false,
      agent_seen_at = case when held.machine = excluded.machine then held.agent_seen_at end
    where held.released
      or (held.machine = excluded.machine and held.folder = excluded.folder
        and (held.boot = excluded.boot or held.lease_until < clock_timestamp()))
      or (held.machine <> excluded.machine and held.lease_until < clock_timestamp())
  `.execute(db)
  return readHolder(db)
}

/** Renews the lease of this session and returns the holder afterwards. */
export async function renewMachineLease(db: Database, session: string): Promise<LeaseHolder> {
  await sql`update machine_lease set lease_until = ${leaseEnd} where session = ${session} and not released`.execute(
    db,
  )
  return readHolder(db)
}

/** Releases the lease, so that any machine may take it at once. */
export async function releaseMachineLease(db: Database, session: string): Promise<void> {
  await sql`update machine_lease set released = true where session = ${session}`.execute(db)
}

/** Records that the host agent of this session's machine has answered. */
export async function recordAgentSeen(db: Database, session: string): Promise<void> {
  await sql`update machine_lease set agent_seen_at = clock_timestamp() where session = ${session}`.execute(db)
}

/** The processes that work on this database now. */
export interface Presence {
  worker: boolean
  hostAgent: boolean
}

/** Whether a worker has the lease, and whether its host agent has answered within the time of a lease. */
export async function readPresence(db: Database): Promise<Presence> {
  const { rows } = await sql<Presence>`
    select not released and lease_until > clock_timestamp() as worker,
      coalesce(agent_seen_at > clock_timestamp() - make_interval(secs => ${sql.lit(machineLeaseSeconds)}), false) as "hostAgent"
    from machine_lease
  `.execute(db)
  return rows[0] ?? { worker: false, hostAgent: false }
}

async function readHolder(db: Database): Promise<LeaseHolder> {
  const { rows } = await sql<LeaseHolder>`
    select machine, folder, boot, session, place, lease_until::text as "leaseUntil" from machine_lease
  `.execute(db)
  const [holder] = rows
  if (!holder) throw new Error('the lease of the machine has gone from the database')
  return holder
}
