import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { expect, it } from 'vitest'
import { ValidationError } from '../../base/errors/validation-error.ts'
import { checkTemplate, defaultTemplate, renderTemplate } from './input-template.ts'

const fields: TableField[] = [
  { name: 'order_id', type: 'text', required: true },
  { name: 'amount', type: 'number', required: false },
]
const facts = {
  event: 'create',
  table_id: 'tbl_1',
  row_id: 'row_1',
  row_version: 3,
  values: { order_id: 'A-1', amount: 12.5 },
}
const render = (template: unknown, values: Record<string, unknown> = facts.values) =>
  renderTemplate(template, { ...facts, values })

it('replaces a text that is one placeholder by its value of any type', () => {
  expect(
    render({ a: '{{values.amount}}', b: ['{{ row_version }}', 7, null, true], c: '{{values}}' }),
  ).toEqual({
    a: 12.5,
    b: [3, 7, null, true],
    c: facts.values,
  })
})

it('inserts values into longer texts as text', () => {
  expect(render('{{event}} {{values.order_id}}: {{values.amount}}, {{values}}')).toBe(
    'create A-1: 12.5, {"order_id":"A-1","amount":12.5}',
  )
})

it('is null, or no text, for a value that the row does not have', () => {
  expect(render(['{{values.amount}}', '<{{values.amount}}>'], { order_id: 'A-1' })).toEqual([null, '<>'])
})

it('never reads a value of a row as a template', () => {
  const hostile = { order_id: '{{values.amount}} {{row_id}} $& $1', amount: 1 }
  expect(render(['{{values.order_id}}', 'x {{values.order_id}}'], hostile)).toEqual([
    hostile.order_id,
    `x ${hostile.order_id}`,
  ])
  expect(render('{{values.constructor}}')).toBeNull()
})

it('refuses a value that is repeated until it is longer than an input', () => {
  const long = { order_id: 'x'.repeat(64 * 1024) }
  expect(String(render(`<${'{{values.order_id}}'.repeat(16)}>`, long))).toHaveLength(1024 * 1024 + 2)
  expect(() => render(`<${'{{values.order_id}}'.repeat(17)}>`, long)).toThrow(ValidationError)
  expect(() => render(Array(17).fill('<{{values.order_id}}>'), long)).toThrow(ValidationError)
})

it('has all facts by their names without a template', () => {
  expect(render(defaultTemplate)).toEqual(facts)
})

it('accepts templates of known placeholders, and texts that are none', () => {
  for (const template of [defaultTemplate, 'text', 1, null, { a: '{{values.order_id}}' }, '{single} { {x} }'])
    expect(() => checkTemplate(fields, template)).not.toThrow()
})

it('refuses unknown placeholders, and templates that are too large, deep or repetitive', () => {
  let deep: unknown = 1
  for (let level = 0; level < 40; level += 1) deep = [deep]
  for (const template of [
    '{{values.other}}',
    '{{}}',
    { a: ['{{value}}'] },
    'x'.repeat(20_000),
    Array.from({ length: 100 }, () => 1e308),
    deep,
    '{{values}}'.repeat(101),
  ])
    expect(() => checkTemplate(fields, template)).toThrow(ValidationError)
})
