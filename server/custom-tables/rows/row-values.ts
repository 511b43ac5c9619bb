import { rowMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type {
  RowValues,
  TableField,
  TableFieldType,
} from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { problemOf, type ValidationProblem } from '../../base/errors/validation-error.ts'
import { jsonbBytes } from '../../base/json/jsonb-bytes.ts'

/*
 * Values against the fields of a table or the inputs of a command. Pure. Problems name fields, never values.
 */

/** The values as they are stored: without nulls, instants in UTC; or what is wrong with them. */
export type CheckedValues =
  | { kind: 'valid'; values: RowValues; byteSize: number }
  | { kind: 'refused'; problems: ValidationProblem[] }

/** At most this many problems are reported. */
const problemsMax = 20

const words: Record<TableFieldType, string> = {
  text: 'must be a text',
  integer: 'must be a whole number of at most 2^53',
  number: 'must be a number',
  boolean: 'must be true or false',
  datetime: 'must be an instant with an offset, such as 2026-11-24T09:30:00Z',
  json: 'must be JSON',
}

/** All values of a new row. `at` is where they are in the request. */
export function checkValues(
  fields: readonly TableField[],
  values: RowValues,
  at: readonly string[] = ['body', 'values'],
): CheckedValues {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const problems: ValidationProblem[] = []
  const refuse = (name: string, type: string, text: string) => {
    problems.push(problemOf([...at, name], { type, words: text }))
  }
  // Without a prototype, since a field may have the name of a property that every object has.
  const stored: RowValues = Object.create(null)
  for (const [name, value] of Object.entries(values)) {
    const field = byName.get(name)
    if (!field) refuse(name, 'unknown_field', 'is not a field')
    else if (value !== null) {
      const kept = storedValue(field.type, value)
      if (kept === undefined) refuse(name, `${field.type}_type`, words[field.type])
      else stored[name] = kept
    }
  }
  for (const { name, required } of fields)
    if (required && stored[name] === undefined && !problems.some(({ loc }) => loc.at(-1) === name))
      refuse(name, 'missing', 'is required')
  const byteSize = jsonbBytes(stored)
  if (byteSize > rowMaxBytes)
    problems.push(problemOf([...at], { type: 'too_long', words: `may have at most ${rowMaxBytes} bytes` }))
  if (problems.length > 0) return { kind: 'refused', problems: problems.slice(0, problemsMax) }
  return { kind: 'valid', values: stored, byteSize }
}

/** The values after a change: null removes one. */
export const changedValues = (before: RowValues, change: RowValues): RowValues => ({ ...before, ...change })

/** The value as it is stored; undefined: it is of another type. */
function storedValue(type: TableFieldType, value: unknown): unknown {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'integer':
      return Number.isSafeInteger(value) ? value : undefined
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'datetime':
      return typeof value === 'string' ? instantOf(value) : undefined
    case 'json':
      return value
  }
}

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/

/** UTC with milliseconds, so that texts are ordered as the instants are; undefined: not an instant. */
export function instantOf(text: string): string | undefined {
  if (!instantPattern.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  const utc = new Date(ms).toISOString()
  // The database has no year 0.
  return utc.length === 24 && utc >= '0001' ? utc : undefined
}
