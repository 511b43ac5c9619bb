import type { RowValues, TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { areEqual, type Json, type JsonObject, ownValue } from '../../form/json.ts'

const lineBreak = /[\r\n]/

const typeSchemas = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  datetime: { type: 'string', format: 'date-time' },
  json: {},
} as const

/** The JSON Schema of the values of fields, from which the form is made. A text with lines keeps them in its field. */
export const schemaOfFields = (fields: readonly TableField[], values: RowValues = {}): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map(({ name, type }) => {
      const value = ownValue(values, name)
      const hasLines = type === 'text' && typeof value === 'string' && lineBreak.test(value)
      return [name, { ...typeSchemas[type], title: name, ...(hasLines && { 'x-lines': true }) }]
    }),
  ),
  required: fields.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
})

/** The values that differ, as a change of a row names them: null removes one. */
export function changesOf(fields: readonly TableField[], before: unknown, after: unknown): JsonObject {
  const changed = fields.filter(({ name }) => !areEqual(ownValue(before, name), ownValue(after, name)))
  return Object.fromEntries(changed.map(({ name }) => [name, ownValue(after, name) ?? null]))
}

/** The values of a row that somebody else has changed, with the changes of this person on top of them. */
export function rebased(
  fields: readonly TableField[],
  { before, typed, now }: { before: unknown; typed: unknown; now: unknown },
): JsonObject {
  const own = changesOf(fields, before, typed)
  const values = fields.map(({ name }): [string, Json | null] => [
    name,
    ownValue(own, name) ?? (Object.hasOwn(own, name) ? null : (ownValue(now, name) ?? null)),
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== null))
}
