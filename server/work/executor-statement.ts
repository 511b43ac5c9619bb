import { sql } from 'kysely'
import { heartbeatSeconds } from './heartbeat-statement.ts'

/** Condition on a row of `executors`: a worker drives it. */
export const isDriven = sql<boolean>`(not released and lease_until > clock_timestamp())`

/** Condition on a row of `executors`: its host agent has answered within the time of a lease. */
export const hasAgent = sql<boolean>`coalesce(
  agent_seen_at > clock_timestamp() - make_interval(secs => ${sql.lit(heartbeatSeconds)}), false)`
