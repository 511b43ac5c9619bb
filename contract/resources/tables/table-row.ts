import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, CustomTableId, TableRowId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { rowFilterMaxLength, rowFiltersMax } from '../../limits.ts'
import { listOf, pageFields } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { RowValues } from './table-field.ts'

const exampleValues = { order_id: 'A-1', amount: 12.5 }

/** A row of a table; `version` rises with each change. */
export const TableRow = Type.Object({
  id: TableRowId,
  table_id: CustomTableId,
  version: about('Rises with each change of the row.', Ordinal, 1),
  chatroom_id: about(
    'Chatroom that the row belongs to; null unless the table has a channel rule.',
    Nullable(Type.String()),
    null,
  ),
  values: about('Values by field; a field without a value is left out.', RowValues, exampleValues),
  created_at: about('When the row was created.', DateTime),
  updated_at: about('When the row was changed last.', DateTime),
})
export type TableRow = Static<typeof TableRow>

export const TableRowList = listOf(TableRow)
export type TableRowList = Static<typeof TableRowList>

export const TableRowCreateRequest = Strict({
  values: about('Values by field.', RowValues, exampleValues),
  chatroom_id: about(
    'Chatroom that the row belongs to; required for a table with a channel rule, refused for any other.',
    Type.Optional(ChatroomId),
    exampleId('chatroom'),
  ),
})
export type TableRowCreateRequest = Static<typeof TableRowCreateRequest>

export const TableRowUpdateRequest = Strict({
  values: about('Values to change; null removes one. The other values stay.', RowValues, { amount: 13 }),
  version: about(
    'The version that was read: a row that has changed since is not overwritten.',
    Type.Optional(Ordinal),
    1,
  ),
})
export type TableRowUpdateRequest = Static<typeof TableRowUpdateRequest>

export const TableRowDeleted = Type.Object({
  id: TableRowId,
  deleted: about('Always true.', Type.Literal(true), true),
})
export type TableRowDeleted = Static<typeof TableRowDeleted>

/** Operators of a condition that compares a field with a value of its type. */
export const rowComparisons = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const

const filter = about(
  'Conditions `field:operator:value`, all of which hold. Operators: eq, ne, lt, lte, gt, gte, contains (text), and `is` with null or not_null. `created_at`, `updated_at` and `chatroom_id` are fields too.',
  Type.Optional(
    Type.Array(PlainText({ minLength: 1, maxLength: rowFilterMaxLength }), { maxItems: rowFiltersMax }),
  ),
  ['amount:gte:10'],
)

const sort = about(
  'Field to sort by, `-` before it for descending; by default the order of creation. Rows without a value come last.',
  Type.Optional(Type.String({ minLength: 1, maxLength: 65 })),
  '-amount',
)

export const rowQuery = (pageSizeDefault: number) =>
  Type.Object({ ...pageFields(pageSizeDefault), filter, sort })

export const exportFormats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportQuery = Type.Object({
  format: about('Form of the export.', Type.Optional(OneOf(exportFormats)), 'csv'),
  filter,
})
