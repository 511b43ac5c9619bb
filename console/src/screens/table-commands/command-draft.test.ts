import type { TableCommand } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { expect, test } from 'vitest'
import {
  bodyOfCommand,
  type CommandDraft,
  draftOfCommand,
  emptyCommand,
  isCommandComplete,
} from './command-draft.ts'

const fields: TableField[] = [
  { name: 'article', type: 'text', required: true },
  { name: 'stock', type: 'integer', required: false },
  { name: 'constructor', type: 'text', required: false },
]

const restock: CommandDraft = {
  ...emptyCommand,
  name: 'restock',
  inputs: { stock: 'optional', article: 'identity' },
  grant: 'chatroom:roo_1',
}

test('inputs are sent in the order of the fields, and an identity is required', () => {
  expect(bodyOfCommand(restock, fields)).toEqual({
    name: 'restock',
    description: '',
    mode: 'write',
    authority: 'definition',
    inputs: [
      { name: 'article', type: 'text', required: true },
      { name: 'stock', type: 'integer', required: false },
    ],
    effect_identity: ['article'],
    granted_scope: 'chatroom',
    granted_id: 'roo_1',
  })
})

test('a command that reads has no identity', () => {
  expect(bodyOfCommand({ ...restock, mode: 'read' }, fields).effect_identity).toBeNull()
})

test('a command that is changed begins as it is', () => {
  const { granted_scope, ...body } = bodyOfCommand(restock, fields)
  expect(draftOfCommand({ ...body, granted_scope } as TableCommand)).toEqual({
    ...restock,
    inputs: { article: 'identity', stock: 'optional' },
  })
})

test('a command needs a name, an input and people who may use it', () => {
  expect(isCommandComplete(restock)).toBe(true)
  expect(isCommandComplete({ ...restock, name: ' ' })).toBe(false)
  expect(isCommandComplete({ ...restock, inputs: {} })).toBe(false)
  expect(isCommandComplete({ ...restock, grant: '' })).toBe(false)
})
