import type { Control } from './field.ts'
import type { Json, JsonObject } from './json.ts'

const keywordTypes: readonly (readonly [string, readonly string[]])[] = [
  [
    'object',
    ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties'],
  ],
  ['array', ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems']],
  [
    'string',
    [
      'pattern',
      'minLength',
      'maxLength',
      'format',
      'contentMediaType',
      'contentEncoding',
      'x-file',
      'x-lines',
    ],
  ],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** The types of a schema, or the one that its keywords are about. */
export function typesOf(flat: JsonObject): string[] {
  if (flat.type !== undefined) return [flat.type].flat().filter((type) => typeof type === 'string')
  const about = keywordTypes.filter(([, keywords]) =>
    keywords.some((keyword) => Object.hasOwn(flat, keyword)),
  )
  return about.length === 1 ? about.map(([type]) => type) : []
}

/** An object, or a list of any length. */
export const isContainer = (flat: JsonObject): boolean => {
  const [type, ...more] = typesOf(flat)
  return more.length === 0 && (type === 'object' || (type === 'array' && flat.prefixItems === undefined))
}

/** How it is drawn before it is added. */
export const emptyContainer = (flat: JsonObject): Control =>
  typesOf(flat)[0] === 'object'
    ? { kind: 'object', fields: [] }
    : { kind: 'list', items: [], canAdd: true, fixed: 0, itemStart: null }

/** A value of the type that is as small as can be. */
export function emptyOf(flat: JsonObject): Json {
  const empty: Readonly<Record<string, Json>> = {
    object: {},
    array: [],
    string: '',
    number: 0,
    integer: 0,
    boolean: false,
  }
  return empty[typesOf(flat)[0] ?? ''] ?? null
}

/** The value with which a field starts when it is added. */
export const startOf = (flat: JsonObject): Json =>
  flat.default ?? flat.const ?? (Array.isArray(flat.enum) ? flat.enum[0] : undefined) ?? emptyOf(flat)
