import { contractErrorsMax } from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { ValidationProblem } from '../../base/errors/validation-error.ts'
import type { Executing } from '../../db/database.ts'
import { findInputExample, type TaskVersionRow } from '../versions/task-version-store.ts'
import { inputProblem } from './schema/schema-problems.ts'
import { schemaThreads } from './schema/schema-threads.ts'

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

type ExampledVersion = Pick<TaskVersionRow, 'id' | 'company_id' | 'input_schema'>

/** Larger examples are left out of an error; the menu has them. */
const shownMaxBytes = 4096

/** Checks an input as `validateInput` does. A refusal also holds the `example` of the version, if it has a short one. */
export const inputChecker =
  (db: Executing) =>
  async (version: ExampledVersion, input: Buffer): Promise<void> => {
    try {
      await validateInput(version, input)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'input_schema_violation')) throw error
      const example = await exampleOf(db, version)
      throw example === undefined ? error : new CodedError(error.code, { ...error.detail, example })
    }
  }

/** The example of the version, which fits its schema, or else the first one in the schema itself. */
async function exampleOf(db: Executing, { id, company_id, input_schema }: ExampledVersion): Promise<unknown> {
  const own = parsed(await findInputExample(db, company_id, id))
  const example = own ?? firstExample(parsed(input_schema))
  const text = example === undefined ? undefined : JSON.stringify(example)
  return text !== undefined && Buffer.byteLength(text) <= shownMaxBytes ? example : undefined
}

function firstExample(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, 'examples')) return undefined
  const { examples } = schema as { examples: unknown }
  return Array.isArray(examples) ? (examples[0] as unknown) : undefined
}

/** Versions from before the example was checked may hold other text. */
function parsed(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
