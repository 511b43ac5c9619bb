import { type Static, Type } from 'typebox'
import { runWaitMaxSeconds } from '../../limits.ts'
import { Count, Nullable, OneOf, Strict } from '../../schema.ts'
import { ManualRunSubmitRequest, RunDetail } from './run.ts'

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
  byte_size: Count,
  format: OneOf(['json', 'text', 'binary', 'too_large']),
  json: Type.Unknown(),
  text: Nullable(Type.String()),
})
export type InlineOutput = Static<typeof InlineOutput>

/**
 * A run, with its output once it has ended. `keep_waiting`: the run has not ended within the wait; wait again by its
 * id.
 */
export const RunResult = Type.Object({
  state: OneOf(['ended', 'keep_waiting']),
  run: RunDetail,
  output: Nullable(InlineOutput),
})
export type RunResult = Static<typeof RunResult>

export const RunAndWaitRequest = Strict({
  ...ManualRunSubmitRequest.properties,
  wait_seconds: Type.Optional(WaitSeconds),
})
export type RunAndWaitRequest = Static<typeof RunAndWaitRequest>
