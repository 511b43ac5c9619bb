import { expect, it } from 'vitest'
import { csvRows } from './csv-rows.ts'

const bounds = { rows: 3, columns: 2 }

it.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n"x ""y"", z",2',
    [
      ['a', 'b'],
      ['x "y", z', '2'],
    ],
  ],
  ['"line\nbreak",', [['line\nbreak', '']]],
  ['a,b,c\n', [['a', 'b']]],
  ['1\n2\n3\n4\n', [['1'], ['2'], ['3']]],
  ['"never closed, a', [['never closed, a']]],
  ['', []],
])('reads %j', (text, rows) => {
  expect(csvRows(text, bounds)).toEqual(rows)
})
