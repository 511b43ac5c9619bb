import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { expect, test } from 'vitest'
import { planForm } from '../../form/plan.ts'
import { changesOf, rebased, schemaOfFields } from './row-values.ts'

const fields: TableField[] = [
  { name: 'order_id', type: 'text', required: true },
  { name: 'amount', type: 'number', required: false },
  { name: 'constructor', type: 'json', required: false },
]

test('each type of a field has its control', () => {
  const types = ['text', 'integer', 'number', 'boolean', 'datetime', 'json'] as const
  const all = types.map((type) => ({ name: type, type, required: true }))
  const plan = planForm(schemaOfFields(all), {})
  expect(plan.root.kind === 'object' && plan.root.fields.map(({ kind }) => kind)).toEqual([
    'text',
    'number',
    'number',
    'flag',
    'moment',
    'json',
  ])
})

test('a text with lines is drawn in lines, so that they stay', () => {
  const schema = schemaOfFields(fields, { order_id: 'A\nB' })
  const [field] = planForm(schema, {}).fields.filter(({ path }) => path[0] === 'order_id')
  expect(field).toMatchObject({ kind: 'text', hasLines: true })
})

test('a change names what differs, and removes a value with null', () => {
  const before = { order_id: 'A-1', amount: 12, constructor: { a: [1] } }
  expect(changesOf(fields, before, { order_id: 'A-1', constructor: { a: [2] } })).toEqual({
    amount: null,
    constructor: { a: [2] },
  })
  expect(changesOf(fields, before, { ...before, constructor: { a: [1] } })).toEqual({})
})

test('own changes stay on top of those of somebody else', () => {
  const before = { order_id: 'A-1', amount: 12, constructor: true }
  const typed = { order_id: 'A-1', amount: 13 }
  const now = { order_id: 'A-2', amount: 99, constructor: false }
  expect(rebased(fields, { before, typed, now })).toEqual({ order_id: 'A-2', amount: 13 })
})
