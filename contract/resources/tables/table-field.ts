import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { tableFieldNamePattern, tableFieldsMax } from '../../limits.ts'
import { OneOf, Strict } from '../../schema.ts'

export const tableFieldTypes = ['text', 'integer', 'number', 'boolean', 'datetime', 'json'] as const
export type TableFieldType = (typeof tableFieldTypes)[number]

/** Columns of rows besides their fields, under these names in filters and exports. No field has one of them. */
export const rowColumns = ['id', 'version', 'chatroom_id', 'created_at', 'updated_at'] as const

export const TableFieldName = Type.String({ pattern: tableFieldNamePattern })

const properties = {
  name: about(
    'Name: lower-case letters, digits and `_`; not `id`, `version`, `chatroom_id`, `created_at` or `updated_at`.',
    TableFieldName,
    'amount',
  ),
  type: about(
    'Type of its values. `integer` is exact to 2^53; `datetime` is an instant with an offset, stored in UTC; `json` is any JSON.',
    OneOf(tableFieldTypes),
    'number',
  ),
}

/** A field of a table as a request declares it (contract part 3, D3). */
export const TableFieldRequest = Strict({
  ...properties,
  required: about('Every row must have a value; by default false.', Type.Optional(Type.Boolean()), false),
})
export type TableFieldRequest = Static<typeof TableFieldRequest>

export const TableField = Type.Object({
  ...properties,
  required: about('Every row has a value.', Type.Boolean(), false),
})
export type TableField = Static<typeof TableField>

export const TableFieldRequests = Type.Array(TableFieldRequest, { minItems: 1, maxItems: tableFieldsMax })

/** Values of a row by the names of fields. Null, and a field that is left out, mean: no value. */
export const RowValues = Type.Record(Type.String(), Type.Unknown(), { maxProperties: tableFieldsMax })
export type RowValues = Static<typeof RowValues>
