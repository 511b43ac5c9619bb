import {
  JsonRefused,
  parseStrictJson,
  runInputBounds,
} from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { Problem } from '@sandbox-jobs/contract/input-schema/verdict.ts'
import { contractErrorsMax, inputSchemaMaxBytes, workCommandMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { problemOf, type ValidationProblem } from '../../base/errors/validation-error.ts'
import { exampleProblem, schemaProblem } from '../inputs/schema/schema-problems.ts'
import { schemaThreads } from '../inputs/schema/schema-threads.ts'

export interface JobContract {
  work_command: string | null
  input_schema: string | null
  input_example: string | null
}

/**
 * Checks the job contract of a draft (contract part 2, `job_contract_invalid`): the work command is valid, the schema
 * is a JSON Schema, and the example is a valid input. Throws with all problems, at most twenty.
 */
export async function checkJobContract(companyId: string, contract: JobContract): Promise<void> {
  const errors = [
    ...workCommandProblems(contract.work_command),
    ...(await schemaAndExampleProblems(companyId, contract)),
  ]
  if (errors.length > 0) {
    throw new CodedError('job_contract_invalid', { errors: errors.slice(0, contractErrorsMax) })
  }
}

function workCommandProblems(command: string | null): ValidationProblem[] {
  const problem = (type: string, words: string) => [problemOf(['body', 'work_command'], { type, words })]
  if (command?.includes('\0')) return problem('nul_character', 'may not hold a NUL character')
  if (command !== null && Buffer.byteLength(command) > workCommandMaxBytes) {
    return problem('too_large', `may have at most ${workCommandMaxBytes} bytes of UTF-8`)
  }
  return []
}

async function schemaAndExampleProblems(
  companyId: string,
  { input_schema: schema, input_example: example }: JobContract,
): Promise<ValidationProblem[]> {
  const problem = example === null ? undefined : problemOfExample(example)
  const problems = problem ? [exampleProblem(problem)] : []
  if (schema === null) return problems
  if (Buffer.byteLength(schema) > inputSchemaMaxBytes) {
    return [schemaProblem({ at: [], rule: 'too_large' }), ...problems]
  }
  const instance = problem ? undefined : (example ?? undefined)
  const verdict = await schemaThreads.ask(companyId, { schema, ...(instance && { instance }) })
  switch (verdict.kind) {
    case 'valid':
      return problems
    case 'busy':
      throw new CodedError('input_staging_unavailable')
    case 'too_costly':
      return [schemaProblem({ at: [], rule: 'too_costly' }), ...problems]
    case 'schema_unreadable':
    case 'schema_invalid':
      return [...verdict.problems.map(schemaProblem), ...problems]
    case 'instance_invalid':
      return verdict.problems.map(exampleProblem)
  }
}

/** An example is an input and has the same limits. */
function problemOfExample(text: string): Problem | undefined {
  try {
    parseStrictJson(Buffer.from(text), runInputBounds)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    return { at: [], rule: error.slug }
  }
}
