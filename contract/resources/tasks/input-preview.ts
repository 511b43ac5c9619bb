import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { contractErrorsMax } from '../../limits.ts'
import { Strict } from '../../schema.ts'
import { RuntimeContract } from '../environments/runtime-contract.ts'

/** `input` is any JSON within the size limits of a run's input. */
export const InputPreviewRequest = Strict({ input: Type.Unknown() })
export type InputPreviewRequest = Static<typeof InputPreviewRequest>

/** What a run with that input would receive (contract part 1, "Runtime contract"). */
export const InputPreview = Type.Object({
  /** The inputs file, byte for byte. */
  input_file_content: Type.String(),
  input_digest: Digest,
  runtime_contract: RuntimeContract,
  /** Also true if the version has no schema. */
  schema_valid: Type.Boolean(),
  schema_errors: Type.Array(
    Type.Object({
      type: Type.String(),
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
      msg: Type.String(),
    }),
    { maxItems: contractErrorsMax },
  ),
})
export type InputPreview = Static<typeof InputPreview>
