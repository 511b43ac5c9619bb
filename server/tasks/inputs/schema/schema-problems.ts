import { jsonRefusals } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { Problem } from '@sandbox-jobs/contract/input-schema/verdict.ts'
import { problemOf, type ValidationProblem } from '../../../base/errors/validation-error.ts'

/** Messages of the rules that are not keywords of JSON Schema. */
const meanings: Record<string, string> = {
  ...jsonRefusals,
  too_costly: 'takes too much time or memory to check',
  schema_unusable: 'cannot be checked: the schema of the version is not usable',
  not_an_object: 'must be a JSON object',
  not_draft_2020_12:
    'must be https://json-schema.org/draft/2020-12/schema: delete it or write that; sandbox deploy does so for a schema of draft-07 that means the same',
  vocabulary_forbidden: 'may not declare vocabularies',
  endless_reference: 'refers to itself without end',
  unresolvable_reference: 'refers to something outside the schema; references are not fetched',
  regular_expression: 'holds a pattern that is not a regular expression',
  unusable: 'cannot be used: a reference, an anchor or a keyword is not known',
}

const unsuitable = 'does not match the schema'

const problem = (field: string, found: Problem, fallback: string): ValidationProblem =>
  problemOf(['body', field, ...found.at], {
    type: found.rule,
    words: found.words ?? meanings[found.rule] ?? fallback,
  })

/** The message for a problem of a tenant's schema: at a keyword, what the keyword must hold. */
export const schemaProblem = (found: Problem): ValidationProblem => {
  if (found.rule === 'number_not_exact') return problem('input_schema', { ...found, words: notExact }, '')
  return problem('input_schema', found, keywordForm(found.at))
}

const notExact =
  'has more digits than a number of JSON can hold: leave the bound out, or use at most 9007199254740991'

export const exampleProblem = (found: Problem): ValidationProblem =>
  problem('input_example', found, unsuitable)

export const inputProblem = (found: Problem): ValidationProblem => problem('input', found, unsuitable)

const number = 'must be a number'
const count = 'must be a whole number of at least 0'
const text = 'must be text'
const flag = 'must be true or false'
const schema = 'must be a schema: an object, true or false'
const schemas = 'must be a list of schemas, not empty'
const namedSchemas = 'must hold a schema for each name'
const names = 'must be a list of names of fields, each once'
const bound = (other: string) =>
  `must be a number, the bound itself: true beside ${other} is of draft 4, so write ${other} here and leave it out`

const schemaKeywords = [
  ...['if', 'then', 'else', 'not', 'contains', 'propertyNames', 'additionalProperties'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]

/** The form of each keyword of draft 2020-12, as words that follow its name. */
const forms: Readonly<Record<string, string>> = {
  type: 'must be string, number, integer, boolean, array, object or null, or a list of these, each once',
  enum: 'must be a list of values',
  required: `${names}; it is written beside properties, not inside of a field`,
  exclusiveMinimum: bound('minimum'),
  exclusiveMaximum: bound('maximum'),
  ...{ minimum: number, maximum: number, multipleOf: 'must be a number above 0' },
  ...{ minLength: count, maxLength: count, minItems: count, maxItems: count, minContains: count },
  ...{ maxContains: count, minProperties: count, maxProperties: count },
  ...{ pattern: 'must be text that is a regular expression', uniqueItems: flag, deprecated: flag },
  ...{ readOnly: flag, writeOnly: flag, title: text, description: text, format: text, $comment: text },
  ...{ contentEncoding: text, contentMediaType: text, contentSchema: schema },
  items: `${schema}; a list of schemas is prefixItems`,
  ...{ prefixItems: schemas, allOf: schemas, anyOf: schemas, oneOf: schemas },
  ...Object.fromEntries(schemaKeywords.map((name) => [name, schema])),
  ...{ properties: namedSchemas, patternProperties: namedSchemas, $defs: namedSchemas },
  dependentSchemas: namedSchemas,
  definitions: namedSchemas,
  dependentRequired: 'must hold a list of names for each name',
  dependencies: 'is now dependentRequired (for names) and dependentSchemas',
  examples: 'must be a list of values',
  $id: 'must be an address without a fragment; a name within the schema is $anchor',
  $ref: 'must be an address, such as #/$defs/NAME',
  $anchor: 'must be a name: a letter or _, then letters, digits, -, _ and .',
}

const ofNames = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** The form that a place of a schema needs: below a name of a field, a schema, and elsewhere what the keyword must hold. */
function keywordForm(at: readonly (string | number)[]): string {
  const last = at.findLastIndex((part) => typeof part === 'string')
  const keyword = at[last]
  if (keyword === undefined) return schema
  const parent = at[last - 1]
  if (typeof parent === 'string' && ofNames.has(parent) && !ofNames.has(String(at[last - 2]))) return schema
  return (Object.hasOwn(forms, keyword) && forms[keyword]) || 'is not what draft 2020-12 has here'
}
