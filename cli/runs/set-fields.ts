import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { nameAndValue } from '../args/name-and-value.ts'
import { CliError, exitCodes } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { RunInput } from './read-input.ts'

/**
 * The input with fields from the command line. The task's schema says whether `7` is a number or a text; without its word, a
 * value is JSON if it can be read as that, else text.
 */
export function setFields(
  input: RunInput,
  assignments: readonly string[],
  schemaText: string | null,
): RunInput {
  if (assignments.length === 0) return input
  if (!isJsonObject(input.value)) {
    throw wrongField(
      'The input is no JSON object, so it has no fields to set.',
      'Use --set with an object, or alone.',
    )
  }
  const properties = propertiesOf(schemaText)
  const fields = new Map<string, unknown>()
  for (const assignment of assignments) {
    const { name, value } = nameAndValue('--set', assignment)
    fields.set(name, typedValue(name, value, properties[name]))
  }
  return {
    value: { ...input.value, ...Object.fromEntries(fields) },
    text: textOf(input, input.value, fields),
  }
}

/** The input's own text is kept where it can be: written again, a long number would be rounded. */
function textOf(
  input: RunInput,
  value: Record<string, unknown>,
  fields: ReadonlyMap<string, unknown>,
): string {
  const names = [...fields.keys()]
  if (names.some((name) => Object.hasOwn(value, name))) {
    return JSON.stringify({ ...value, ...Object.fromEntries(fields) })
  }
  const added = [...fields].map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join(',')
  const open = input.text.trimEnd().slice(0, -1)
  return `${open}${Object.keys(value).length > 0 ? ',' : ''}${added}}`
}

type Schema = Record<string, unknown>

/** Of the schema itself; a schema that says it in another way says nothing here. */
function propertiesOf(schemaText: string | null): Record<string, unknown> {
  const schema: unknown = JSON.parse(schemaText ?? 'null')
  return isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {}
}

function typedValue(name: string, text: string, schema: unknown): unknown {
  const types = typesOf(schema)
  const parsed = parse(text)
  if (types.length === 0) return parsed === undefined ? text : parsed
  if (parsed !== undefined && typeof parsed !== 'string' && types.some((type) => isOfType(parsed, type)))
    return parsed
  if (types.includes('string')) return text
  const kinds = types.map((type) => typeWords[type] ?? type).join(' or ')
  throw wrongField(
    `${escapeControls(name)} must be ${kinds}.`,
    `Write --set ${escapeControls(name)}=VALUE with one.`,
  )
}

const typeWords: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list in JSON',
  object: 'an object in JSON',
  null: 'null',
}

const typesOf = (schema: unknown): string[] =>
  isJsonObject(schema) ? [(schema as Schema).type].flat().filter((type) => typeof type === 'string') : []

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wrongField = (message: string, hint: string) =>
  new CliError(message, { hint, code: 'cli_input', exitCode: exitCodes.usage })
