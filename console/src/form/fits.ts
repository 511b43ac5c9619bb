import { areEqual, isObject, type Json, ownValue } from './json.ts'

/**
 * Whether a value fits a schema, as far as a form has to know it to choose what to draw; undefined where that needs the whole
 * validator. It runs no regular expression and follows no reference, so that no schema makes it slow.
 */
export function fits(schema: unknown, value: Json | undefined): boolean | undefined {
  if (typeof schema === 'boolean') return schema
  if (!isObject(schema) || value === undefined) return undefined
  return allOf(
    Object.entries(schema).map(([keyword, expected]) => fitsKeyword(keyword, expected, { schema, value })),
  )
}

interface Given {
  schema: { [key: string]: Json }
  value: Json
}

/** Keywords without an effect on what fits. */
const annotations = new Set([
  ...[
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
    '$comment',
    '$defs',
  ],
  ...[
    '$schema',
    '$id',
    '$anchor',
    'format',
    'contentMediaType',
    'contentEncoding',
    'then',
    'else',
    'x-lines',
    'x-file',
  ],
])

function fitsKeyword(keyword: string, expected: Json, { schema, value }: Given): boolean | undefined {
  if (annotations.has(keyword)) return true
  switch (keyword) {
    case 'const':
      return areEqual(expected, value)
    case 'enum':
      return Array.isArray(expected) ? expected.some((one) => areEqual(one, value)) : undefined
    case 'type':
      return [expected].flat().some((type) => typeof type === 'string' && isOfType(value, type))
    case 'required':
      return (
        !isObject(value) ||
        !Array.isArray(expected) ||
        expected.every((name) => typeof name !== 'string' || Object.hasOwn(value, name))
      )
    case 'properties':
      return !isObject(value) || !isObject(expected) ? true : allOf(fitsOfProperties(expected, value))
    case 'additionalProperties':
      return expected === true || (expected === false ? hasNoOther(schema, value) : undefined)
    case 'allOf':
      return Array.isArray(expected) ? allOf(expected.map((part) => fits(part, value))) : undefined
    case 'anyOf':
      return Array.isArray(expected) ? anyOf(expected.map((part) => fits(part, value))) : undefined
    case 'not':
      return negated(fits(expected, value))
    default:
      return fitsBound(keyword, expected, value)
  }
}

const fitsOfProperties = (properties: { [key: string]: Json }, value: { [key: string]: Json }) =>
  Object.entries(properties)
    .filter(([name]) => Object.hasOwn(value, name))
    .map(([name, property]) => fits(property, value[name]))

/** Undefined if it cannot be known which names a pattern allows. */
function hasNoOther(schema: Given['schema'], value: Json): boolean | undefined {
  if (Object.hasOwn(schema, 'patternProperties')) return undefined
  const properties = ownValue(schema, 'properties')
  return !isObject(value) || Object.keys(value).every((name) => ownValue(properties, name) !== undefined)
}

function fitsBound(keyword: string, expected: Json, value: Json): boolean | undefined {
  if (typeof expected !== 'number') return undefined
  const bounds: Readonly<Record<string, () => boolean>> = {
    minimum: () => typeof value !== 'number' || value >= expected,
    maximum: () => typeof value !== 'number' || value <= expected,
    exclusiveMinimum: () => typeof value !== 'number' || value > expected,
    exclusiveMaximum: () => typeof value !== 'number' || value < expected,
    minLength: () => typeof value !== 'string' || [...value].length >= expected,
    maxLength: () => typeof value !== 'string' || [...value].length <= expected,
    minItems: () => !Array.isArray(value) || value.length >= expected,
    maxItems: () => !Array.isArray(value) || value.length <= expected,
  }
  return Object.hasOwn(bounds, keyword) ? bounds[keyword]?.() : undefined
}

export function isOfType(value: Json, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

const allOf = (results: (boolean | undefined)[]): boolean | undefined =>
  results.includes(false) ? false : results.includes(undefined) ? undefined : true

const anyOf = (results: (boolean | undefined)[]): boolean | undefined =>
  results.includes(true) ? true : results.includes(undefined) ? undefined : false

const negated = (result: boolean | undefined): boolean | undefined =>
  result === undefined ? undefined : !result
