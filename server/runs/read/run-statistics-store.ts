import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { opaqueParam } from '../../db/fast/params.ts'
import { newestMatching, type VisibleRunFilter } from './visible-run-store.ts'

export interface BucketRow {
  /** From 0 on. */
  bucket: number
  /** Null: the waits and durations of all runs of the bucket. */
  state: RunState | null
  runs: number
  /** Milliseconds, of half of them and of 95 of 100. */
  wait: number[] | null
  run: number[] | null
}

const percentiles = sql`percentile_disc(array[0.5, 0.95])`

/** Counts the newest runs that match, of at most `limit`, by stretches of time that begin at `from`. */
export async function countByBucket(
  db: Executing,
  filter: VisibleRunFilter & { queuedFrom: Date },
  { bucketMs, limit }: { bucketMs: number; limit: number },
): Promise<BucketRow[]> {
  const columns = sql`runs.id, runs.queued_at, runs.started_at, runs.terminal_at, runs.state`
  const newest = newestMatching(filter, { columns, older: sql`true`, limit })
  const ms = (until: string, since: string) =>
    sql`(extract(epoch from ${sql.ref(until)} - ${sql.ref(since)}) * 1000)::bigint`
  const from = opaqueParam(filter.queuedFrom, 'timestamptz')
  const { rows } = await sql<BucketRow>`
    select counted.bucket, counted.state, count(*)::int as runs,
      ${percentiles} within group (order by counted.wait_ms) filter (where counted.wait_ms is not null) as wait,
      ${percentiles} within group (order by counted.run_ms) filter (where counted.run_ms is not null) as run
    from (
      select floor(extract(epoch from runs.queued_at - ${from}) * 1000 / ${opaqueParam(bucketMs, 'bigint')})::int as bucket,
        runs.state, ${ms('runs.started_at', 'runs.queued_at')} as wait_ms,
        ${ms('runs.terminal_at', 'runs.started_at')} as run_ms
      from (${newest}) runs
    ) counted
    group by grouping sets ((counted.bucket), (counted.bucket, counted.state))
    order by counted.bucket
  `.execute(db)
  return rows
}
