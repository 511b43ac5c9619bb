import { expect, test } from 'vitest'
import { operandsOf, operatorsOf, partsOfCondition, textOfCondition } from './conditions.ts'

test.each([
  ['text', { name: 'note', op: 'contains', value: 'a:b' }, 'note:contains:a:b'],
  ['integer', { name: 'amount', op: 'gte', value: '10' }, 'amount:gte:10'],
  ['datetime', { name: 'at', op: 'lt', value: '2026-11-24T09:30:00Z' }, 'at:lt:2026-11-24T09:30:00.000Z'],
  ['datetime', { name: 'at', op: 'is', value: 'null' }, 'at:is:null'],
  ['datetime', { name: 'at', op: 'lt', value: 'later' }, 'at:lt:later'],
] as const)('a condition on %s %j is %s', (type, condition, expected) => {
  expect(textOfCondition(condition, type)).toBe(expected)
  expect(partsOfCondition(expected)).toMatchObject({ name: condition.name, op: condition.op })
})

test('the value of a condition may have colons', () => {
  expect(partsOfCondition('note:eq:a:b').value).toBe('a:b')
})

test('rows of a table with a channel rule are asked for by their room too', () => {
  const fields = [{ name: 'note', type: 'text', required: false }] as const
  const named = (channel_rule: boolean) =>
    operandsOf({ fields: [...fields], channel_rule }).map(({ name }) => name)
  expect(named(false)).toEqual(['note', 'created_at', 'updated_at'])
  expect(named(true)).toContain('chatroom_id')
})

test('JSON has no order, and a truth value is only equal or not', () => {
  expect(operatorsOf('json')).toEqual(['is'])
  expect(operatorsOf('boolean')).toEqual(['eq', 'ne', 'is'])
})
