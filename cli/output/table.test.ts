import { expect, test } from 'vitest'
import { table } from './table.ts'

test('columns are as wide as their widest cell, and no line ends with blanks', () => {
  const rows = [
    ['a', 'x'],
    ['long', ''],
  ]
  expect(table(['ID', 'NAME'], rows)).toBe('ID    NAME\na     x\nlong\n')
})

test('a cell cannot break its line', () => {
  expect(table(['N'], [['a\nb\u001b[2J']])).toBe('N\na\\x0ab\\x1b[2J\n')
})
