import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { OneOf } from '../../schema.ts'
import { deletionStates } from '../../states/upload-session-states.ts'

/** `missing`: the run has no content yet; otherwise the deletion state of its content as a whole. */
export const runContentStates = ['missing', ...deletionStates] as const

/** The kinds of content that a run has, as flags; no tenant route returns the bytes (contract part 1, "Run"). */
export const RunContent = Type.Object({
  run_id: Identifier,
  company_id: Identifier,
  state: OneOf(runContentStates),
  input_digest: Type.String(),
  has_input: Type.Boolean(),
  has_output: Type.Boolean(),
  has_log: Type.Boolean(),
  has_artifact_bundle: Type.Boolean(),
})
export type RunContent = Static<typeof RunContent>
