import { type Static, Type } from 'typebox'
import { Count, OneOf } from '../schema.ts'
import { runStates } from '../states/run-states.ts'

const position = Count

/**
 * One event of a followed log, the JSON of its `data` line. The event's id is the position behind it: who connects again
 * with `Last-Event-ID` goes on there.
 */
export const RunLogEvent = Type.Union([
  /** What was logged from `start` on. */
  Type.Object({ kind: Type.Literal('log'), start: position, text: Type.String() }),
  /** Bytes that came faster than they could be shown, or that the log does not keep. */
  Type.Object({ kind: Type.Literal('gap'), start: position, end: position }),
  Type.Object({ kind: Type.Literal('end'), status: OneOf(runStates) }),
])
export type RunLogEvent = Static<typeof RunLogEvent>
