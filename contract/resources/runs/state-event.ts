import { type Static, type TSchema, Type } from 'typebox'
import { Count, DateTime, OneOf } from '../../schema.ts'
import { buildAttemptStates } from '../../states/build-attempt-states.ts'
import { runStates } from '../../states/run-states.ts'

const stateEvent = <S extends TSchema>(status: S) =>
  Type.Union([
    Type.Object({ kind: Type.Literal('state'), position: Count, status, at: DateTime }),
    Type.Object({ kind: Type.Literal('end'), status }),
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
