import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId, CustomTableId, DepartmentId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { descriptionMaxLength, nameMaxLength, tableFieldsMax } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, OneOf, PlainText, Strict, VisibleText } from '../../schema.ts'
import { customTableStates } from '../../states/custom-table-states.ts'
import { OwnerScope } from '../companies/owner-scope.ts'
import { TableField, TableFieldRequests } from './table-field.ts'

const commandsOnly = 'Rows change by commands alone: neither requests nor writeback policies write them.'
const channelRule =
  'Rows belong to chatrooms: each names one, and the people of a chatroom read its rows. Writeback policies do not write them.'

/** A table of a company or of a department (contract part 3, D3). */
export const CustomTable = Type.Object({
  id: CustomTableId,
  company_id: CompanyId,
  owner_scope: about('Kind of the owner.', OwnerScope, 'department'),
  owner_id: about('Identifier of the owner.', Type.String(), exampleId('department')),
  name: about('Name of the table.', Type.String(), 'orders'),
  description: about('Meaning of the rows; may be empty.', Type.String(), 'One row for each order'),
  fields: about('Fields in their order.', Type.Array(TableField, { maxItems: tableFieldsMax })),
  commands_only: about(commandsOnly, Type.Boolean(), false),
  channel_rule: about(channelRule, Type.Boolean(), false),
  row_count: about('Rows that the table has.', Count, 120),
  state: about('Where the table is in its life.', OneOf(customTableStates)),
  created_at: about('When it was created.', DateTime),
})
export type CustomTable = Static<typeof CustomTable>

export const CustomTableList = listOf(CustomTable)
export type CustomTableList = Static<typeof CustomTableList>

const name = about('Name of the table.', VisibleText({ maxLength: nameMaxLength }), 'orders')
const description = about(
  'Meaning of the rows.',
  Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
  'One row for each order',
)
const flags = {
  commands_only: about(commandsOnly, Type.Optional(Type.Boolean()), false),
  channel_rule: about(channelRule, Type.Optional(Type.Boolean()), false),
}

export const CustomTableCreateRequest = Strict({
  name,
  description,
  owner_scope: about('Kind of the owner.', OwnerScope, 'department'),
  owner_id: about('Identifier of the owner.', DepartmentId),
  fields: about('Fields, at most 200.', TableFieldRequests),
  ...flags,
})
export type CustomTableCreateRequest = Static<typeof CustomTableCreateRequest>

/** At least one field, else `no_fields`. */
export const CustomTableUpdateRequest = Strict({ name: Type.Optional(name), description, ...flags })
export type CustomTableUpdateRequest = Static<typeof CustomTableUpdateRequest>

export const TableFieldsAddRequest = Strict({
  fields: about(
    'Fields to add at the end; while the table has rows, none may be required.',
    TableFieldRequests,
  ),
})
export type TableFieldsAddRequest = Static<typeof TableFieldsAddRequest>
