import { expect, it } from 'vitest'
import { extendedRegex } from './grep-command.ts'

it.each([
  ['def \\w+\\(', 'def \\w+\\('],
  ['\\d+\\.\\d', '[0-9]+\\.[0-9]'],
  ['[\\d.]+\\D', '[0-9.]+[^0-9]'],
  ['(?:a|b)[(?:]', '(a|b)[(?:]'],
  ['[]\\d]\\d', '[]0-9][0-9]'],
  ['\\[\\d', '\\[[0-9]'],
])('the expression %s is %s in the dialect of grep', (query, extended) => {
  expect(extendedRegex(query)).toBe(extended)
})
