import { contractErrorsMax } from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../base/coded-error.ts'
import type { ValidationProblem } from '../base/validation-error.ts'
import { schemaThreads } from './input-schema/shared-threads.ts'
import { inputProblem } from './schema-problems.ts'
import type { TaskVersionRow } from './task-version-store.ts'

type Checked = Pick<TaskVersionRow, 'company_id' | 'input_schema'>

/**
 * Checks a run's input against the schema of its version. Throws `input_schema_violation` with at most twenty
 * `errors`, also when the check does not end within its bound: what cannot be shown to conform is refused.
 * Without a schema everything passes, and so it does with a stored text that is no JSON.
 */
export async function validateInput(version: Checked, input: unknown): Promise<void> {
  const errors = await inputProblems(version, input)
  if (errors.length > 0) throw new CodedError('input_schema_violation', { errors })
}

/** The same as a list, empty when the input passes; throws only when the check cannot be made now. */
export async function inputProblems(version: Checked, input: unknown): Promise<ValidationProblem[]> {
  if (version.input_schema === null) return []
  const verdict = await schemaThreads.ask(version.company_id, {
    schema: version.input_schema,
    instance: { value: input },
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
