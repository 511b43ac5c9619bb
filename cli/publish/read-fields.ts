import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { nearNames } from '@sandbox-jobs/contract/near-names.ts'
import type { Field, Fields, Form } from '@sandbox-jobs/contract/task-file/fields.ts'

/** Validated values by the names of their fields; a field that is absent or null has none. */
export type Values = Record<string, unknown>

/** Reads one object of a task file by the table of its fields, and records what is wrong. */
export function readFields(given: Values, fields: Fields, problems: string[], prefix = ''): Values {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name))
      problems.push(unknownField(`${prefix}${name}`, name, Object.keys(fields)))
  }
  const values: Values = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name]
    if (value !== undefined && value !== null) {
      values[name] = readValue(value, field, problems, `${prefix}${name}`)
    } else if (field.isRequired) problems.push(`${prefix}${name} is missing`)
  }
  return values
}

function readValue(value: unknown, { form }: Field, problems: string[], name: string): unknown {
  const isNested = form.kind === 'section' || form.kind === 'text_or_section'
  if (isNested && isJsonObject(value)) return readFields(value, form.fields, problems, `${name}.`)
  if (form.kind === 'sections' && isObjectList(value))
    return value.map((item, at) => readFields(item, form.fields, problems, `${name}[${at}].`))
  if (!isRight(value, form)) problems.push(`${name} must be ${expected(form)}`)
  return value
}

function unknownField(shown: string, name: string, names: string[]): string {
  const near = nearNames(name, names)
  return `there is no field ${shown}: ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${names.join(', ')}`}`
}

function expected(form: Form): string {
  switch (form.kind) {
    case 'text':
      return 'text'
    case 'flag':
      return 'true or false'
    case 'whole':
      return 'a whole number of at least 1'
    case 'choice':
      return `one of: ${form.values.join(', ')}`
    case 'names':
      return 'a list of names'
    case 'variables':
      return 'NAME: text pairs (numbers in quotes)'
    case 'document':
      return 'the name of a file, or JSON'
    case 'list':
      return 'a list of objects'
    case 'network':
      return 'everything, nothing, or a list of domains, addresses and ranges'
    case 'section':
      return `a section with ${Object.keys(form.fields).join(', ')}`
    case 'sections':
      return `a list of sections with ${Object.keys(form.fields).join(', ')}`
    case 'text_or_section':
      return `a name, or a section with ${Object.keys(form.fields).join(', ')}`
  }
}

function isRight(value: unknown, form: Form): boolean {
  switch (form.kind) {
    case 'text':
    case 'text_or_section':
      return isFilledText(value)
    case 'flag':
      return typeof value === 'boolean'
    case 'whole':
      return Number.isInteger(value) && Number(value) >= 1
    case 'choice':
      return form.values.includes(value as string)
    case 'names':
      return isTextList(value)
    case 'variables':
      return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string')
    case 'document':
      return isFilledText(value) || (typeof value === 'object' && value !== null)
    case 'list':
      return isObjectList(value)
    case 'network':
      return value === 'everything' || value === 'nothing' || isTextList(value)
    case 'section':
    case 'sections':
      return false
  }
}

const isObjectList = (value: unknown): value is Values[] => Array.isArray(value) && value.every(isJsonObject)
const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isFilledText)
