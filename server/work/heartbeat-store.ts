import { sql } from 'kysely'
import type { Executing } from '../db/database.ts'
import type { Driver } from './heartbeat-statement.ts'

/*
 * The heartbeats of workers, one row each. A worker that has ended its heartbeat, or not renewed it for a while, is gone: another
 * worker of its executor takes over what it held. The fence of a claim keeps out one that was only suspended.
 */

/** The heartbeat of the only worker of an executor: those of all earlier ones end. */
export async function startHeartbeat(db: Executing, { executor, worker }: Driver): Promise<void> {
  await sql`delete from workers where executor = ${executor} and id <> ${worker}`.execute(db)
  await sql`insert into workers (id, executor) values (${worker}, ${executor})`.execute(db)
}

/** Does nothing for a worker whose heartbeat was ended. */
export async function renewHeartbeat(db: Executing, worker: string): Promise<void> {
  await sql`update workers set beat_at = clock_timestamp() where id = ${worker}`.execute(db)
}

export async function endHeartbeat(db: Executing, worker: string): Promise<void> {
  await sql`delete from workers where id = ${worker}`.execute(db)
}
