const typeWords: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

const count = (limit: unknown, unit: string) => `${limit} ${unit}${limit === 1 ? '' : 's'}`

/** `type` is the value of the keyword: one name or several. */
export const wordsOfTypes = (type: unknown): string =>
  [type]
    .flat()
    .map((one) => typeWords[String(one)] ?? String(one))
    .join(' or ')

/**
 * Demands on a field, by keyword of JSON Schema, as words that follow the name of the field. The argument is the value of
 * the keyword: a number, except for `type`.
 */
export const keywordWords: Readonly<Record<string, (value: unknown) => string>> = {
  type: (type) => `must be ${wordsOfTypes(type)}`,
  minLength: (limit) => `must have at least ${count(limit, 'character')}`,
  maxLength: (limit) => `may have at most ${count(limit, 'character')}`,
  minItems: (limit) => `must have at least ${count(limit, 'item')}`,
  maxItems: (limit) => `may have at most ${count(limit, 'item')}`,
  minProperties: (limit) => `must have at least ${count(limit, 'field')}`,
  maxProperties: (limit) => `may have at most ${count(limit, 'field')}`,
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `may be at most ${limit}`,
  exclusiveMinimum: (limit) => `must be more than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  multipleOf: (step) => `must be a multiple of ${step}`,
  uniqueItems: () => 'may not hold the same item twice',
}
