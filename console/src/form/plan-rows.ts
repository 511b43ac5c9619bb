import { flatten, type Whole } from './flatten.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { branchesOf } from './plan-branches.ts'
import { optionsOf } from './plan-scalar.ts'
import { typesOf } from './plan-types.ts'

/** Columns of a table; objects with more are drawn one below the other. */
const columnsMax = 12

/** The schema of fields that the person names; undefined if there are none. */
export function extraSchemaOf(flat: JsonObject): Json | undefined {
  const patterns = isObject(flat.patternProperties) ? Object.values(flat.patternProperties) : []
  const additional = flat.additionalProperties ?? flat.unevaluatedProperties
  if (additional !== undefined && additional !== false) return additional
  const [pattern, ...more] = patterns
  return more.length > 0 ? true : pattern
}

/** Whether an item fits into the row of a table: an object of plain values that none of its fields changes. */
export function isRow(flat: JsonObject, whole: Whole): boolean {
  const properties = isObject(flat.properties) ? Object.values(flat.properties) : []
  if (properties.length === 0 || properties.length > columnsMax || typesOf(flat)[0] !== 'object') return false
  if (branchesOf(flat) || extraSchemaOf(flat) !== undefined) return false
  return properties.every((property) => {
    const column = flatten(property, whole, undefined)
    const [type, ...more] = typesOf(column)
    const isPlain = type !== undefined && more.length === 0 && type !== 'object' && type !== 'array'
    return (
      (isPlain || optionsOf(column) !== undefined || Object.hasOwn(column, 'const')) &&
      column.not === undefined
    )
  })
}
