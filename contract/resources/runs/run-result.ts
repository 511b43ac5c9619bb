import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { runWaitMaxSeconds } from '../../limits.ts'
import { Count, Nullable, OneOf, Strict } from '../../schema.ts'
import { ExtendedRun, ExtendedSubmitRequest } from './extended-run.ts'

/** Maximum time, in seconds, that a request waits for the end of a run. */
export const WaitSeconds = Type.Integer({
  minimum: 0,
  maximum: runWaitMaxSeconds,
  default: runWaitMaxSeconds,
})

/**
 * The output of a run inside a response. `json` is its value if it is JSON, otherwise `text` if it is UTF-8. Both are
 * null if it is neither or too large to inline; it is then read with a separate request.
 */
export const InlineOutput = Type.Object({
  byte_size: about('Bytes of the output.', Count, 15),
  format: about(
    'Form of the output; `too_large` for more than 256 KiB.',
    OneOf(['json', 'text', 'binary', 'too_large']),
  ),
  json: about('Its value, if it is JSON; otherwise null.', Type.Unknown(), { total: 1250 }),
  text: about('Its text, if it is UTF-8 but no JSON; otherwise null.', Nullable(Type.String()), null),
  problem: about(
    'Why a text that begins like JSON is none, and where, such as `at /rows/3/mean (byte 120): holds NaN or Infinity, ...`; otherwise null.',
    Nullable(Type.String()),
    null,
  ),
})
export type InlineOutput = Static<typeof InlineOutput>

/**
 * A run, with its output once it has ended. `keep_waiting`: the run has not ended within the wait; wait again by its
 * id.
 */
export const RunResult = Type.Object({
  state: about(
    '`keep_waiting`: the run had not ended in time; wait again by its id.',
    OneOf(['ended', 'keep_waiting']),
  ),
  run: about('The run.', ExtendedRun),
  output: about('Its output; null if it left none, or has not ended.', Nullable(InlineOutput)),
})
export type RunResult = Static<typeof RunResult>

export const RunAndWaitRequest = Strict({
  ...ExtendedSubmitRequest.properties,
  wait_seconds: about('Seconds to wait for the end, at most 60.', Type.Optional(WaitSeconds), 30),
})
export type RunAndWaitRequest = Static<typeof RunAndWaitRequest>
