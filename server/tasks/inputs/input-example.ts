import { CodedError } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import type { TaskVersionRow } from '../versions/task-version-store.ts'
import { findInputExample } from '../versions/task-version-store.ts'
import { validateInput } from './validate-input.ts'

type Checked = Pick<TaskVersionRow, 'id' | 'company_id' | 'input_schema'>

/** Larger examples are left out of an error; the menu has them. */
const shownMaxBytes = 4096

/** Checks an input as `validateInput` does. A refusal also holds the `example` of the version, if it has a short one. */
export const inputChecker =
  (db: Executing) =>
  async (version: Checked, input: Buffer): Promise<void> => {
    try {
      await validateInput(version, input)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'input_schema_violation')) throw error
      const example = await exampleOf(db, version)
      throw example === undefined ? error : new CodedError(error.code, { ...error.detail, example })
    }
  }

/** The example of the version, which fits its schema, or else the first one in the schema itself. */
async function exampleOf(db: Executing, { id, company_id, input_schema }: Checked): Promise<unknown> {
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
