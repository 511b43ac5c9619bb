import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Count, Nullable, OneOf } from '../../schema.ts'
import { runWaitReasons } from './run-wait.ts'

const Money = (description: string, example: string) => about(description, Nullable(Type.String()), example)

/** The cost and the wait of a run that is submitted now, as far as they can be told without its input. */
export const RunEstimate = Type.Object({
  timeout_seconds: about('The timeout that it would have.', Count, 600),
  currency: Money('Currency of the amounts; null where runs have no price.', 'USD'),
  hold: Money('The most that it costs, which is reserved; null where runs have no price.', '0.003100'),
  typical_cost: Money('Median cost of earlier runs of the version; null without any.', '0.000400'),
  typical_seconds: about(
    'Seconds from start to end of the newest runs of the version, at most 100; null without any.',
    Nullable(
      Type.Object({
        p50: about('Half of them took no longer.', Type.Number({ minimum: 0 }), 40),
        p95: about('19 of 20 took no longer.', Type.Number({ minimum: 0 }), 95),
        runs: about('Number of these runs.', Count, 100),
      }),
    ),
  ),
  wait: about(
    'Its place in the queue; null where it would be refused.',
    Nullable(
      Type.Object({
        position: about('1 is next; null if the queue is too long to count.', Nullable(Count), 3),
        seconds: about('Seconds until it starts; null if that is not known.', Nullable(Count), 5),
        reason: about('Reason for which it would wait.', OneOf(runWaitReasons), 'awaiting_dispatch'),
      }),
    ),
  ),
  refusals: about(
    'Reasons for which a submission would be refused now; empty if there are none.',
    Type.Array(
      Type.Object({
        code: about('Code of the error.', Type.String(), 'budget_reservation_exceeded'),
        message: about(
          'The error, for people.',
          Type.String(),
          'The budget of your company does not cover this.',
        ),
      }),
    ),
    [],
  ),
})
export type RunEstimate = Static<typeof RunEstimate>
