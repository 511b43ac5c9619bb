import type { Field } from './field.ts'
import { isPrefix, type Json, type Path, valueAt, withValueAt } from './json.ts'
import { planForm } from './plan.ts'

/** A default can bring fields with defaults of their own, such as a condition that it meets. */
const passesMax = 4

/** The value with which a form begins: defaults, constants, and what required parts cannot do without. */
export const initialValue = (schema: unknown): Json | undefined => withDefaults(schema, undefined, [])

/** Fills in what is absent below the path and has one possible value or a default. */
export function withDefaults(schema: unknown, value: Json | undefined, under: Path): Json | undefined {
  let filled = value
  for (let pass = 0; pass < passesMax; pass += 1) {
    const before = filled
    for (const field of planForm(schema, filled).fields) {
      if (!isPrefix(under, field.path) || valueAt(filled, field.path) !== undefined || field.isClosed)
        continue
      const start = firstValue(field)
      if (start !== undefined && isParentThere(filled, field.path))
        filled = withValueAt(filled, field.path, start)
    }
    if (filled === before) break
  }
  return filled
}

const isParentThere = (value: Json | undefined, path: Path): boolean =>
  path.length === 0 || valueAt(value, path.slice(0, -1)) !== undefined

function firstValue(field: Field): Json | undefined {
  if (field.default !== undefined) return field.default
  if (!field.isRequired) return undefined
  if (field.kind === 'constant') return field.value
  if (field.kind === 'flag') return false
  if (field.kind === 'nothing') return null
  if (field.kind === 'object') return {}
  return field.kind === 'list' || field.kind === 'table' || field.kind === 'choices' ? [] : undefined
}
