import { expect, test } from 'vitest'
import { dayIn, textIn, timeIn, valuesIn } from './search-values.ts'

test.each([
  ['sales', 'sales'],
  [' sales ', 'sales'],
  [2026, '2026'],
  ['', undefined],
  [' ', undefined],
  ['x'.repeat(257), undefined],
  [['sales'], undefined],
  [null, undefined],
])('%j is the text %j', (value, expected) => {
  expect(textIn(value)).toBe(expected)
})

test.each([
  ['b', ['b']],
  [
    ['b', 'x', 'a', 'b'],
    ['a', 'b'],
  ],
  ['x', undefined],
  [undefined, undefined],
])('%j has the values %j', (value, expected) => {
  expect(valuesIn(value, ['a', 'b'])).toEqual(expected)
})

test.each([
  ['2026-11-30', '2026-11-30'],
  ['2026-13-40', undefined],
  ['tomorrow', undefined],
  [5, undefined],
])('%j is the day %j', (value, expected) => {
  expect(dayIn(value)).toBe(expected)
})

test.each([
  ['2026-11-30T23:59', '2026-11-30T23:59'],
  ['2026-11-30T25:00', undefined],
  ['2026-11-30', undefined],
  [5, undefined],
])('%j is the time %j', (value, expected) => {
  expect(timeIn(value)).toBe(expected)
})
