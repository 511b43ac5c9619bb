import { contractErrorsMax } from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { ValidationProblem } from '../../base/errors/validation-error.ts'
import type { TaskVersionRow } from '../versions/task-version-store.ts'
import { inputProblem } from './schema/schema-problems.ts'
import { schemaThreads } from './schema/shared-threads.ts'

type Checked = Pick<TaskVersionRow, 'company_id' | 'input_schema'>

/**
 * Checks a run's canonical input against the schema of its version. Throws `input_schema_violation` with at most twenty
 * `errors`, also if the check exceeds its limits: an input that cannot be shown to conform is refused. Without a schema, or
 * with a stored schema that is not JSON, every input passes.
 */
export async function validateInput(version: Checked, input: Buffer): Promise<void> {
  const errors = await inputProblems(version, input)
  if (errors.length > 0) throw new CodedError('input_schema_violation', { errors })
}

/** A view of a part of a buffer is sent with all of the buffer. */
const isWhole = (bytes: Buffer): boolean => bytes.buffer.byteLength === bytes.length

/** The problems as a list, empty if the input passes. Throws only if the check cannot be made now. */
export async function inputProblems(version: Checked, input: Buffer): Promise<ValidationProblem[]> {
  if (version.input_schema === null) return []
  const verdict = await schemaThreads.ask(version.company_id, {
    schema: version.input_schema,
    instance: isWhole(input) ? input : input.toString('utf8'),
  })
  switch (verdict.kind) {
    case 'valid':
    case 'schema_unreadable':
      return []
    case 'busy':
      throw new CodedError('input_staging_unavailable')
    case 'too_costly':
      return [inputProblem({ at: [], rule: 'too_costly' })]
    case 'schema_invalid':
      return [inputProblem({ at: [], rule: 'schema_unusable' })]
    case 'instance_invalid':
      return verdict.problems.slice(0, contractErrorsMax).map(inputProblem)
  }
}
