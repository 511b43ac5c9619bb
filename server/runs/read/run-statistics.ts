import {
  bucketsMax,
  countedRunsMax,
  type RunStatistics,
  type statisticsBuckets,
} from '@sandbox-jobs/contract/resources/runs/run-statistics.ts'
import type { Principal } from '../../access/principal.ts'
import { type Clock, dayMs } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import type { RunServices } from '../run-services.ts'
import { type BucketRow, countByBucket } from './run-statistics-store.ts'
import { type RunFilterQuery, visibleRunFilter } from './visible-runs.ts'

/** Of one process. One reads at most `countedRunsMax` runs. */
const slots = new SharedSlots({ all: 4, each: 2, assuredEach: 1 })
const bucketMs = { hour: 3_600_000, day: dayMs } as const
const bucketsByDefault = { hour: 48, day: 14 } as const

interface StatisticsQuery extends RunFilterQuery {
  bucket?: (typeof statisticsBuckets)[number] | undefined
}

/** The runs that the caller may read and that match, by hour or day. Throws `usage_busy`, and 422 for more buckets than there may be. */
export async function countRuns(
  deps: Pick<RunServices, 'db' | 'directory'> & { clock: Clock },
  principal: Principal,
  { bucket = 'day', ...query }: StatisticsQuery,
): Promise<RunStatistics> {
  const filter = await visibleRunFilter(deps.directory, principal, query)
  const length = bucketMs[bucket]
  const before = filter.queuedBefore ?? deps.clock.now()
  const from = filter.queuedFrom ?? new Date(before.getTime() - bucketsByDefault[bucket] * length)
  if (before.getTime() - from.getTime() > bucketsMax * length)
    throw invalid(['query', 'queued_after'], 'range', `must be at most ${bucketsMax} buckets before the end`)
  const read = () =>
    countByBucket(deps.db, { ...filter, queuedFrom: from }, { bucketMs: length, limit: countedRunsMax })
  const rows = await slots.within(principal.companyId, () => new CodedError('usage_busy'), read)
  const counted = rows.reduce((sum, { state, runs }) => sum + (state === null ? runs : 0), 0)
  return {
    from: from.toISOString(),
    bucket,
    items: itemsOf(rows).map(({ at, ...item }) => ({
      at: new Date(from.getTime() + at * length).toISOString(),
      ...item,
    })),
    truncated: counted >= countedRunsMax,
  }
}

const itemsOf = (rows: readonly BucketRow[]) =>
  [...Map.groupBy(rows, ({ bucket }) => bucket)].map(([at, of]) => {
    const whole = of.find(({ state }) => state === null)
    return {
      at,
      by_status: Object.fromEntries(of.flatMap(({ state, runs }) => (state === null ? [] : [[state, runs]]))),
      wait: percentilesOf(whole?.wait),
      run: percentilesOf(whole?.run),
    }
  })

const percentilesOf = (values: number[] | null | undefined) => {
  const [p50, p95] = values ?? []
  return p50 === undefined || p95 === undefined ? null : { p50: Number(p50), p95: Number(p95) }
}
