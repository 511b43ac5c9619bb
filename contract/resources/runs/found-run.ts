import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, RunId, TaskId } from '../../identifiers.ts'
import { Count, DateTime, Nullable, OneOf, Strict } from '../../schema.ts'
import { runStates } from '../../states/run-states.ts'
import { runFilters } from './run-filters.ts'

/** Rows of one answer, and of one request about runs by their ids. */
export const foundRunsLimitMax = 500
/** The newest that match; earlier ones are reached by a narrower filter. */
export const foundRunsOffsetMax = 100_000 - foundRunsLimitMax

const FoundRun = Type.Object({
  id: about('Identifier of the run.', RunId),
  chatroom_id: about('Its room.', ChatroomId),
  chatroom_name: about('Name of the room.', Type.String(), 'Sales'),
  task_id: about('Its task.', TaskId),
  task_name: about('Name of the task.', Type.String(), 'Sales report'),
  principal_id: about('The person, key or program that submitted it.', Type.String(), 'usr_019a'),
  status: about('State of the run.', OneOf(runStates), 'completed'),
  error_code: about('Why it failed; empty if it did not.', Type.String(), ''),
  queued_at: about('When it was submitted.', Nullable(DateTime)),
  started_at: about('When its program started; null if it has not.', Nullable(DateTime)),
  terminal_at: about('When it ended; null if it has not.', Nullable(DateTime)),
})
export type FoundRun = Static<typeof FoundRun>

export const FoundRunList = Type.Object({
  items: about('Runs from `offset` on, the newest first.', Type.Array(FoundRun)),
  total: about('All that match.', Count, 1),
  as_of: about('Send it as `queued_before`: then runs that are submitted later move no row.', DateTime),
})
export type FoundRunList = Static<typeof FoundRunList>

/** The work of one `cancelRuns`. */
export const CancelledRuns = Type.Object({
  cancelled: about('Runs that this request cancelled.', Count, 200),
  left: about('Runs that match and still go on; the same request again cancels the next of them.', Count, 40),
})
export type CancelledRuns = Static<typeof CancelledRuns>

export const CancelRunsRequest = Strict({
  filter: about(
    'The runs: all conditions together; without any, all that the caller sees.',
    Strict({
      ...runFilters,
      ids: about(
        'Only these runs.',
        Type.Optional(Type.Array(RunId, { minItems: 1, maxItems: foundRunsLimitMax, uniqueItems: true })),
      ),
    }),
    { status: ['queued'] },
  ),
  expected: about(
    'Runs that the caller knows to match. Where more than a tenth over it match, nothing is cancelled.',
    Count,
    240,
  ),
  dry_run: about('Counts the runs and cancels none.', Type.Optional(Type.Boolean()), false),
})
