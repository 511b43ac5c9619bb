import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { OneOf, Strict } from '../../schema.ts'

export const WritebackPolicy = Strict({
  kind: Type.Literal('custom_table_writeback'),
  table_id: Identifier,
  allowed_ops: Type.Optional(OneOf(['create', 'create,update'])),
})
export type WritebackPolicy = Static<typeof WritebackPolicy>

export const CommandPolicy = Strict({
  kind: Type.Literal('custom_table_command'),
  command_id: Identifier,
  chatroom_id: Identifier,
  input_schema: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 200 }),
})
export type CommandPolicy = Static<typeof CommandPolicy>

export type OutputPolicy = WritebackPolicy | CommandPolicy

/** What a run may write back, distinguished by `kind` (contract part 1, "Task version"). */
export const OutputPolicy = Type.Unsafe<OutputPolicy>({
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [WritebackPolicy, CommandPolicy],
})
