import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { contractErrorsMax } from '../../limits.ts'
import { Strict } from '../../schema.ts'
import { RuntimeContract } from '../environments/runtime-contract.ts'

/** `input` is any JSON within the size limits of a run's input. */
export const InputPreviewRequest = Strict({
  input: about('Any JSON, at most 1 MiB.', Type.Unknown(), { month: '2026-10' }),
})
export type InputPreviewRequest = Static<typeof InputPreviewRequest>

/** Files and variables that a run with that input would receive (contract part 1, "Runtime contract"). */
export const InputPreview = Type.Object({
  input_file_content: about('The inputs file, byte for byte.', Type.String(), '{"month":"2026-10"}'),
  input_digest: about('Digest of the input in its canonical form.', Digest),
  runtime_contract: about('Environment that the scripts of the version find.', RuntimeContract),
  schema_valid: about("The input fits the version's schema, or there is none.", Type.Boolean(), true),
  schema_errors: about(
    'Problems of the input, at most 20.',
    Type.Array(
      Type.Object({
        type: about('Keyword of JSON Schema that failed.', Type.String(), 'required'),
        loc: about(
          'Path of the value in the input.',
          Type.Array(Type.Union([Type.String(), Type.Integer()])),
          ['month'],
        ),
        msg: about('The problem, for people.', Type.String(), 'month: is missing'),
      }),
      { maxItems: contractErrorsMax },
    ),
    [],
  ),
})
export type InputPreview = Static<typeof InputPreview>
