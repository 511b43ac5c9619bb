import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { Nullable, OneOf } from '../../schema.ts'

export const remarkCodes = ['no_output', 'artifacts_refused'] as const

/** What the author of a run that has ended should know, although the run may have completed. */
export const RunRemark = Type.Object({
  code: OneOf(remarkCodes),
  /** The broken rule of `artifacts_refused`, such as `symlink`; otherwise empty. */
  rule: Type.String({ maxLength: 31 }),
  /** The artifact that broke the rule, on one line, its end if it is long. Written by the job: escape it for display. */
  path: Nullable(Type.String({ maxLength: 300 })),
  /** The remark as a sentence, which may hold the path. */
  message: Type.String({ maxLength: 600 }),
})
export type RunRemark = Static<typeof RunRemark>

/** Remarks about a run, empty until it has ended (contract part 3, D6). */
export const RunRemarks = Type.Object({
  run_id: Identifier,
  remarks: Type.Array(RunRemark, { maxItems: remarkCodes.length }),
})
export type RunRemarks = Static<typeof RunRemarks>
