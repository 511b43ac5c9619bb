import { describe, expect, test } from 'vitest'
import { rowsOf, separatorOf } from './csv-cells.ts'

const rows = (text: string) => rowsOf(text, separatorOf(text), 1000)

describe('rows and cells', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\r\n1;2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a\tb\n\t',
      [
        ['a', 'b'],
        ['', ''],
      ],
    ],
    ['a,"x,\n""y"""\n', [['a', 'x,\n"y"']]],
    ['"never ends,\n', [['never ends,\n']]],
    ['"a"b,c', [['ab', 'c']]],
    ['a\n\nb', [['a'], [''], ['b']]],
    ['', []],
  ])('%j', (text, expected) => {
    expect(rows(text)).toEqual(expected)
  })

  test('are bounded', () => {
    expect(rowsOf('x\n'.repeat(100), ',', 7)).toHaveLength(7)
  })

  test.each(['"', '""', '",', ',', '\r', '"\n'])(
    'of nothing but %j cost time in proportion to their length',
    (part) => {
      const before = performance.now()
      rowsOf(part.repeat(200_000), ',', 1_000_000)
      expect(performance.now() - before).toBeLessThan(2000)
    },
  )
})
