import { type Static, type TSchema, Type } from 'typebox'
import { about } from '../../about.ts'
import { Count, OneOf } from '../../schema.ts'
import { buildAttemptStates } from '../../states/build-attempt-states.ts'
import { runStates } from '../../states/run-states.ts'

const log = Type.Object({
  kind: about('Text of the log.', Type.Literal('log')),
  start: about('Position of its first byte.', Count, 0),
  text: about('The text. The job wrote it: escape it for display.', Type.String(), 'reading 1200 rows\n'),
})
const gap = Type.Object({
  kind: about('Bytes that arrived too fast to show, or that the log does not keep.', Type.Literal('gap')),
  start: about('Position of the first byte left out.', Count, 65_536),
  end: about('Position after the last one.', Count, 131_072),
})
const endOf = <S extends TSchema>(status: S) =>
  Type.Object({
    kind: about('The log has ended, and so does the stream.', Type.Literal('end')),
    status: about('How it ended.', status, 'completed'),
  })

/**
 * One event of a followed log, the JSON of its `data` line: log text from position `start`; a gap of bytes that
 * arrived too fast to show or that the log does not keep; or the end of the log. The event's id is the position after
 * it; a client that reconnects with `Last-Event-ID` continues there.
 */
export const RunLogEvent = Type.Union([log, gap, endOf(OneOf(runStates))])
export type RunLogEvent = Static<typeof RunLogEvent>

/** The same for a build. */
export const BuildLogEvent = Type.Union([log, gap, endOf(OneOf(buildAttemptStates))])
export type BuildLogEvent = Static<typeof BuildLogEvent>
