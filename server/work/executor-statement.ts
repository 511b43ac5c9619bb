import { type RawBuilder, sql } from 'kysely'
import { heartbeatSeconds } from './heartbeat-statement.ts'

/** Condition on a row of `executors`: a worker drives it. */
export const isDriven = sql<boolean>`(not released and lease_until > clock_timestamp())`

/** Condition on a row of `executors`: its host agent has answered within the time of a lease. */
export const hasAgent = sql<boolean>`coalesce(
  agent_seen_at > clock_timestamp() - make_interval(secs => ${sql.lit(heartbeatSeconds)}), false)`

/** Longer than a worker needs to renew its lease again when the database is back. */
export const steadySeconds = 3 * heartbeatSeconds

/**
 * Condition on the id of an executor: its worker has renewed the lease for so long without a gap that any other live worker has
 * renewed its own. Before that, a lease of another one may have expired because the database was away.
 */
export const hasSteadyLease = (executor: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`
    exists (select from executors where id = ${executor} and ${isDriven}
      and held_since < clock_timestamp() - make_interval(secs => ${sql.lit(steadySeconds)}))`

/** Condition on the id of an executor: it was removed or released, or its worker has not renewed the lease for two of its lengths. */
export const isAbandoned = (executor: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`
    not exists (select from executors where id = ${executor} and not released
      and lease_until > clock_timestamp() - make_interval(secs => ${sql.lit(heartbeatSeconds)}))`
