import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import { CompanyId, RunId } from '../../identifiers.ts'
import { OneOf } from '../../schema.ts'
import { deletionStates } from '../../states/upload-session-states.ts'

/** `missing`: the run has no content yet; otherwise the deletion state of its content as a whole. */
export const runContentStates = ['missing', ...deletionStates] as const

/** The kinds of content that a run has, as flags; no tenant route returns the bytes (contract part 1, "Run"). */
export const RunContent = Type.Object({
  run_id: RunId,
  company_id: CompanyId,
  state: about(
    '`missing`: nothing was stored yet; otherwise whether the content still exists.',
    OneOf(runContentStates),
    'active',
  ),
  input_digest: about('Digest of the input in its canonical form.', Type.String(), exampleDigest),
  has_input: about('The input is stored.', Type.Boolean(), true),
  has_output: about('The run left an output.', Type.Boolean(), true),
  has_log: about('The run left a log.', Type.Boolean(), true),
  has_artifact_bundle: about('The run left artifacts.', Type.Boolean(), true),
})
export type RunContent = Static<typeof RunContent>
