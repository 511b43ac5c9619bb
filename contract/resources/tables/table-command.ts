import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId, CustomTableId, TableCommandId } from '../../identifiers.ts'
import { exampleId, Identifier } from '../../ids.ts'
import { descriptionMaxLength, nameMaxLength, tableFieldsMax } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Ordinal, PlainText, Strict, VisibleText } from '../../schema.ts'
import { tableCommandStates } from '../../states/custom-table-states.ts'
import { Scope } from '../companies/owner-scope.ts'
import { RowValues, TableField, TableFieldName, TableFieldRequests } from './table-field.ts'
import { TableRow } from './table-row.ts'

export const commandModes = ['write', 'read'] as const
export const commandAuthorities = ['definition', 'caller'] as const

const texts = {
  name: 'Name of the command.',
  inputs: 'Inputs: fields of the table, with their types.',
  mode: '`write` creates or changes one row; `read` returns the row with these values.',
  authority:
    '`definition`: it acts as its definition says, for whoever may use it; `caller`: only for callers who may write rows themselves.',
  identity:
    'Required inputs that name the row: a call with the same values changes the row that an earlier call created. Without them each call creates a row.',
  granted:
    'People who may use it: those of one chatroom, of the chatrooms of a department, or of the company.',
}

const identityOf = Type.Array(TableFieldName, { minItems: 1, maxItems: 16, uniqueItems: true })

const fields = {
  name: about(texts.name, VisibleText({ maxLength: nameMaxLength }), 'restock'),
  description: about(
    'Its purpose.',
    Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
    'Sets the stock of an article',
  ),
  inputs: about(texts.inputs, TableFieldRequests),
  mode: about(texts.mode, Type.Optional(OneOf(commandModes)), 'write'),
  authority: about(texts.authority, Type.Optional(OneOf(commandAuthorities)), 'definition'),
  effect_identity: about(texts.identity, Type.Optional(Nullable(identityOf)), ['article']),
  granted_scope: about(texts.granted, Scope, 'department'),
  granted_id: about(
    'Identifier of that chatroom, department or company.',
    Identifier,
    exampleId('department'),
  ),
}

/** A named way to change a table (contract part 3, D3). */
export const TableCommand = Type.Object({
  id: TableCommandId,
  company_id: CompanyId,
  table_id: CustomTableId,
  name: about(texts.name, Type.String(), 'restock'),
  description: about('Its purpose; may be empty.', Type.String(), 'Sets the stock of an article'),
  revision: about('Rises with each change; a run whose policy names older inputs is refused.', Ordinal, 1),
  inputs: about(texts.inputs, Type.Array(TableField, { maxItems: tableFieldsMax })),
  mode: about(texts.mode, OneOf(commandModes), 'write'),
  authority: about(texts.authority, OneOf(commandAuthorities), 'definition'),
  effect_identity: about(texts.identity, Nullable(Type.Array(Type.String())), ['article']),
  granted_scope: about(texts.granted, Scope, 'department'),
  granted_id: about(
    'Identifier of that chatroom, department or company.',
    Type.String(),
    exampleId('department'),
  ),
  state: about('Where the command is in its life.', OneOf(tableCommandStates)),
  created_at: about('When it was created.', DateTime),
})
export type TableCommand = Static<typeof TableCommand>

export const TableCommandList = listOf(TableCommand)
export type TableCommandList = Static<typeof TableCommandList>

export const TableCommandCreateRequest = Strict(fields)
export type TableCommandCreateRequest = Static<typeof TableCommandCreateRequest>

/** At least one field, else `no_fields`. */
export const TableCommandUpdateRequest = Strict({
  ...fields,
  name: Type.Optional(fields.name),
  inputs: Type.Optional(fields.inputs),
  granted_scope: Type.Optional(fields.granted_scope),
  granted_id: Type.Optional(fields.granted_id),
})
export type TableCommandUpdateRequest = Static<typeof TableCommandUpdateRequest>

export const CommandExecuteRequest = Strict({
  inputs: about('Values of the inputs.', RowValues, { article: 'A-1', stock: 4 }),
})
export type CommandExecuteRequest = Static<typeof CommandExecuteRequest>

/** The answer of a command (contract part 3, D3); fields without a value are left out. */
export const CommandExecution = Type.Object({
  command_id: TableCommandId,
  row_id: about(
    'The row that was created, changed or found.',
    Type.Optional(Type.String()),
    exampleId('tableRow'),
  ),
  status: about('Always `applied`.', Type.Literal('applied'), 'applied'),
  applied_at: about('When the command took effect.', DateTime),
  row: about('For `read`: the row that was found.', Type.Optional(TableRow)),
})
export type CommandExecution = Static<typeof CommandExecution>
