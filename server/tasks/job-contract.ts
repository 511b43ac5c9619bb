import { contractErrorsMax, inputSchemaMaxBytes, workCommandMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../base/coded-error.ts'
import { JsonRefused, parseStrictJson, runInputBounds } from '../base/strict-json.ts'
import { problemOf, type ValidationProblem } from '../base/validation-error.ts'
import { schemaThreads } from './input-schema/shared-threads.ts'
import type { Problem } from './input-schema/verdict.ts'
import { exampleProblem, schemaProblem } from './schema-problems.ts'

export interface JobContract {
  work_command: string | null
  input_schema: string | null
  input_example: string | null
}

/**
 * What a draft promises its callers (contract part 2, `job_contract_invalid`): a work command that fits, a schema
 * that is one, and an example that could be sent as an input. Throws with all problems, at most twenty.
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
  const parsed = example === null ? undefined : parseExample(example)
  const problems = parsed && 'problem' in parsed ? [exampleProblem(parsed.problem)] : []
  if (schema === null) return problems
  if (Buffer.byteLength(schema) > inputSchemaMaxBytes) {
    return [schemaProblem({ at: [], rule: 'too_large' }), ...problems]
  }
  const instance = parsed && 'value' in parsed ? { instance: parsed } : {}
  const verdict = await schemaThreads.ask(companyId, { schema, ...instance })
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

/** An example is an input: the same bounds hold. */
function parseExample(text: string): { value: unknown } | { problem: Problem } {
  try {
    return { value: parseStrictJson(Buffer.from(text), runInputBounds) }
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    return { problem: { at: [], rule: error.slug } }
  }
}
