import { type Static, type TSchema, Type } from 'typebox'
import { about } from '../../about.ts'
import { Count, DateTime, OneOf } from '../../schema.ts'
import { buildAttemptStates } from '../../states/build-attempt-states.ts'
import { runStates } from '../../states/run-states.ts'

const stateEvent = <S extends TSchema>(status: S) =>
  Type.Union([
    Type.Object({
      kind: about('A new state.', Type.Literal('state')),
      position: about('Number of the event, which is also its id.', Count, 2),
      status: about('The state.', status, 'completed'),
      at: about('When it began.', DateTime),
    }),
    Type.Object({
      kind: about('The last state was sent, and the stream ends.', Type.Literal('end')),
      status: about('The last state.', status, 'completed'),
    }),
  ])

/**
 * One event of a run, the JSON of its `data` line: a new state with its time, or `end` after the last state. The
 * event's id is its position; a client that reconnects with `Last-Event-ID` continues after it.
 */
export const RunStateEvent = stateEvent(OneOf(runStates))
export type RunStateEvent = Static<typeof RunStateEvent>

/** The same for a build. */
export const BuildStateEvent = stateEvent(OneOf(buildAttemptStates))
export type BuildStateEvent = Static<typeof BuildStateEvent>
