import { type Static, Type } from 'typebox'
import { Count, OneOf } from '../schema.ts'
import { buildAttemptStates } from '../states/build-attempt-states.ts'
import { runStates } from '../states/run-states.ts'

const position = Count
const log = Type.Object({ kind: Type.Literal('log'), start: position, text: Type.String() })
const gap = Type.Object({ kind: Type.Literal('gap'), start: position, end: position })
const end = Type.Literal('end')

/**
 * One event of a followed log, the JSON of its `data` line: what was logged from `start` on; bytes that came faster than
 * they could be shown, or that the log does not keep; the end of what is logged. The event's id is the position behind it:
 * who connects again with `Last-Event-ID` goes on there.
 */
export const RunLogEvent = Type.Union([log, gap, Type.Object({ kind: end, status: OneOf(runStates) })])
export type RunLogEvent = Static<typeof RunLogEvent>

/** The same of a build. */
export const BuildLogEvent = Type.Union([
  log,
  gap,
  Type.Object({ kind: end, status: OneOf(buildAttemptStates) }),
])
export type BuildLogEvent = Static<typeof BuildLogEvent>
