import { type Static, Type } from 'typebox'
import { Count, OneOf } from '../../schema.ts'
import { buildAttemptStates } from '../../states/build-attempt-states.ts'
import { runStates } from '../../states/run-states.ts'

const position = Count
const log = Type.Object({ kind: Type.Literal('log'), start: position, text: Type.String() })
const gap = Type.Object({ kind: Type.Literal('gap'), start: position, end: position })
const end = Type.Literal('end')

/**
 * One event of a followed log, the JSON of its `data` line: log text from position `start`; a gap of bytes that
 * arrived too fast to show or that the log does not keep; or the end of the log. The event's id is the position after
 * it; a client that reconnects with `Last-Event-ID` continues there.
 */
export const RunLogEvent = Type.Union([log, gap, Type.Object({ kind: end, status: OneOf(runStates) })])
export type RunLogEvent = Static<typeof RunLogEvent>

/** The same for a build. */
export const BuildLogEvent = Type.Union([
  log,
  gap,
  Type.Object({ kind: end, status: OneOf(buildAttemptStates) }),
])
export type BuildLogEvent = Static<typeof BuildLogEvent>
