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
export function keywordForm(at: readonly (string | number)[]): string {
  const last = at.findLastIndex((part) => typeof part === 'string')
  const keyword = at[last]
  if (keyword === undefined) return schema
  const parent = at[last - 1]
  if (typeof parent === 'string' && ofNames.has(parent) && !ofNames.has(String(at[last - 2]))) return schema
  return (Object.hasOwn(forms, keyword) && forms[keyword]) || 'is not what draft 2020-12 has here'
}
