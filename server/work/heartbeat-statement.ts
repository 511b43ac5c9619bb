import { type RawBuilder, sql } from 'kysely'

/** A worker that drives an executor. */
export interface Driver {
  executor: string
  /** A process: another one at each start. */
  worker: string
}

/** A worker that has not renewed its heartbeat for this long is gone. */
export const heartbeatSeconds = 20

/** Condition on the id of a worker. */
export const hasHeartbeat = (worker: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`
    exists (select from workers where id = ${worker}
      and beat_at > clock_timestamp() - make_interval(secs => ${sql.lit(heartbeatSeconds)}))`
