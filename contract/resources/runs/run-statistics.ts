import { type Static, type TOptional, Type } from 'typebox'
import { about } from '../../about.ts'
import { Count, DateTime, Nullable, OneOf } from '../../schema.ts'
import { type RunState, runStates } from '../../states/run-states.ts'

export const statisticsBuckets = ['hour', 'day'] as const
export const StatisticsBucket = OneOf(statisticsBuckets)
/** Of one answer. */
export const bucketsMax = 400
/** The newest ones that match; earlier ones are left out. */
export const countedRunsMax = 20_000

const Percentiles = Type.Object({
  p50: about('Half of the runs took at most so many milliseconds.', Count, 1200),
  p95: about('95 of 100 runs took at most so many milliseconds.', Count, 5300),
})

const RunsOfBucket = Type.Object({
  at: about('Start of the hour or day.', DateTime),
  by_status: about(
    'Runs that were queued in it, by their state now. States without a run are left out.',
    Type.Object(
      Object.fromEntries(
        runStates.map((state) => [state, Type.Optional(about(`Runs in the state ${state}.`, Count, 1))]),
      ) as {
        [State in RunState]: TOptional<typeof Count>
      },
    ),
    { completed: 12, customer_failed: 1 },
  ),
  wait: about('From queued to started; null if none has started.', Nullable(Percentiles)),
  run: about('From started to ended; null if none has ended.', Nullable(Percentiles)),
})

export const RunStatistics = Type.Object({
  from: about('Start of the first bucket.', DateTime),
  bucket: about('Length of each bucket: 60 minutes or 24 hours, from `from` on.', StatisticsBucket, 'day'),
  items: about('Buckets with a run, the earliest first.', Type.Array(RunsOfBucket)),
  truncated: about(`Whether only the newest ${countedRunsMax} runs were counted.`, Type.Boolean(), false),
})
export type RunStatistics = Static<typeof RunStatistics>
