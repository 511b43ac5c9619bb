import {
  type RowValues,
  type TableField,
  type TableFieldRequest,
  type TableFieldType,
  tableFieldTypes,
} from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { nameAndValue } from '../args/name-and-value.ts'
import { CliError, exitCodes } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'

/** Values of a row from `field=value`, by the types of the fields. */
export function fieldValues(fields: readonly TableField[], assignments: readonly string[]): RowValues {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  return Object.fromEntries(
    assignments.map((assignment) => {
      const { name, value } = nameAndValue('--set', assignment)
      const type = types.get(name)
      if (type === undefined)
        throw wrongUse(
          `The table has no field ${escapeControls(name)}.`,
          `Its fields: ${fields.map((field) => field.name).join(', ')}.`,
        )
      return [name, typedValue(name, type, value)]
    }),
  )
}

const words: Partial<Record<TableFieldType, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  json: 'JSON',
}

function typedValue(name: string, type: TableFieldType, text: string): unknown {
  if (type === 'text' || type === 'datetime') return text
  const value = parsed(text)
  const fits =
    type === 'json' ? value !== undefined : typeof value === (type === 'boolean' ? 'boolean' : 'number')
  if (fits) return value
  throw wrongUse(
    `${escapeControls(name)} must be ${words[type]}.`,
    `Write --set ${escapeControls(name)}=VALUE with it.`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A field as `name:type`, with `!` at the end if every row must have a value. */
export function fieldOf(text: string): TableFieldRequest {
  const [, name, typeName, mark] = /^([^:]+):([a-z]+)(!?)$/.exec(text) ?? []
  const type = tableFieldTypes.find((each) => each === typeName)
  if (name !== undefined && type !== undefined) return { name, type, required: mark === '!' }
  throw wrongUse(
    `${escapeControls(text)} is not a field.`,
    `Write --field NAME:TYPE, or NAME:TYPE! for a required one. Types: ${tableFieldTypes.join(', ')}.`,
  )
}

const wrongUse = (message: string, hint: string) =>
  new CliError(message, { hint, code: 'cli_usage', exitCode: exitCodes.usage })
