import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId } from '../../identifiers.ts'
import { Identifier } from '../../ids.ts'
import { OneOf, Strict } from '../../schema.ts'

export const WritebackPolicy = Strict({
  kind: about('The run may write rows of a table.', Type.Literal('custom_table_writeback')),
  table_id: about('Identifier of the table.', Identifier, 'tbl_orders'),
  allowed_ops: about(
    'Operations that it may do; by default `create`.',
    Type.Optional(OneOf(['create', 'create,update'])),
  ),
})
export type WritebackPolicy = Static<typeof WritebackPolicy>

export const CommandPolicy = Strict({
  kind: about('The run may call a command of a table.', Type.Literal('custom_table_command')),
  command_id: about('Identifier of the command.', Identifier, 'cmd_restock'),
  chatroom_id: about('Room in which the command is called.', ChatroomId),
  input_schema: about(
    'Inputs of the command, at most 200.',
    Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 200 }),
    [{ name: 'amount', type: 'number' }],
  ),
})
export type CommandPolicy = Static<typeof CommandPolicy>

export type OutputPolicy = WritebackPolicy | CommandPolicy

/** Writes that a run may make, distinguished by `kind` (contract part 1, "Task version"). */
export const OutputPolicy = Type.Unsafe<OutputPolicy>({
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [WritebackPolicy, CommandPolicy],
})
