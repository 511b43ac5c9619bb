import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { RunId } from '../../identifiers.ts'
import { Nullable, OneOf } from '../../schema.ts'

export const remarkCodes = ['no_output', 'artifacts_refused'] as const

/** A fact that the author of a run that has ended should know, although the run may have completed. */
export const RunRemark = Type.Object({
  code: about(
    '`no_output`: the run completed without an output, or with an empty one; `artifacts_refused`: none of its artifacts was kept.',
    OneOf(remarkCodes),
    'artifacts_refused',
  ),
  rule: about(
    'The broken rule of `artifacts_refused`; otherwise empty.',
    Type.String({ maxLength: 31 }),
    'symlink',
  ),
  path: about(
    'The artifact that broke the rule, on one line, its end if it is long. Written by the job: escape it for display.',
    Nullable(Type.String({ maxLength: 300 })),
    'charts/latest.png',
  ),
  message: about(
    'The remark as a sentence, which may hold the path.',
    Type.String({ maxLength: 600 }),
    'No artifact was kept: "charts/latest.png" is a symbolic link; leave a copy of what it points to (symlink).',
  ),
})
export type RunRemark = Static<typeof RunRemark>

const whyNoOutput = {
  absent: 'there was no file at the path in SERVICE_OUTPUT_FILE when it ended',
  empty: 'the file at the path in SERVICE_OUTPUT_FILE was empty when it ended',
}

/** The remark about a completed run without a file of output, or with an empty one. */
export const noOutput = (file: keyof typeof whyNoOutput): RunRemark => ({
  code: 'no_output',
  rule: '',
  path: null,
  message: `The run wrote no output: ${whyNoOutput[file]}.`,
})

/** Remarks about a run, empty until it has ended (contract part 3, D6). */
export const RunRemarks = Type.Object({
  run_id: RunId,
  remarks: about('Remarks on the run.', Type.Array(RunRemark, { maxItems: remarkCodes.length })),
})
export type RunRemarks = Static<typeof RunRemarks>
