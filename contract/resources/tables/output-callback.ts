import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleId, Identifier } from '../../ids.ts'
import { clientRowKeyMaxLength } from '../../limits.ts'
import { DateTime, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { RowValues } from './table-field.ts'

/** A UUID in lowercase. */
export const tokenIdPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

export const writebackOps = ['create', 'update'] as const

/** The name of a credential in the address that a run calls (contract part 3, D5). */
export const CallbackTokenId = about(
  'Name of the credential: a UUID.',
  Type.String({ pattern: tokenIdPattern }),
  '0f7c2e4a-9b1d-4c3e-8a5f-6d7e8f901234',
)

export const WritebackRequest = Strict({
  op: about('The operation; `update` only where the policy allows it.', OneOf(writebackOps), 'create'),
  row_id: about(
    'The row to change; required for `update`, refused for `create`.',
    Type.Optional(Identifier),
    exampleId('tableRow'),
  ),
  values: about('Values by field.', RowValues, { order_id: 'A-1', amount: 12.5 }),
  client_row_key: about(
    'Name of this effect within the run: a repeated call with it changes nothing more. A run that creates several rows names each.',
    Type.Optional(PlainText({ minLength: 1, maxLength: clientRowKeyMaxLength })),
    'order-A-1',
  ),
})
export type WritebackRequest = Static<typeof WritebackRequest>

export const WritebackResult = Type.Object({
  op: about('The operation.', OneOf(writebackOps), 'create'),
  row_id: about('The row that was created or changed.', Type.String(), exampleId('tableRow')),
  version: about('Version of the row after it.', Ordinal, 1),
  status: about('Always `applied`.', Type.Literal('applied'), 'applied'),
  applied_at: about('When it took effect.', DateTime),
})
export type WritebackResult = Static<typeof WritebackResult>

export const CommandOutputRequest = Strict({
  inputs: about('Values of the inputs of the command.', RowValues, { article: 'A-1', stock: 4 }),
})
export type CommandOutputRequest = Static<typeof CommandOutputRequest>
