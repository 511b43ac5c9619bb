import { describe, expect, test } from 'vitest'
import { CsvTable } from './csv-table.ts'

const table = new CsvTable('\ufeffname,size\r\nb,10\r\n"a\nb",9\r\nc,\r\n')
const names = (shown: CsvTable) => shown.rows(0, 100).map(([name]) => name)

test('rows are read where they are asked for', () => {
  expect([table.columns, table.count]).toEqual([['name', 'size'], 3])
  expect(table.rows(1, 2)).toEqual([['a\nb', '9']])
  expect(table.rows(2, 99)).toEqual([['c', '']])
  expect(table.rows(7, 9)).toEqual([])
  expect(table.widths).toEqual([6, 6])
})

describe('an order', () => {
  test('is of numbers by their size, with empty cells first', () => {
    table.sort(1, false)
    expect(names(table)).toEqual(['c', 'a\nb', 'b'])
    table.sort(1, true)
    expect(names(table)).toEqual(['b', 'a\nb', 'c'])
  })

  test('is of texts by the alphabet, and that of the file again', () => {
    table.sort(0, false)
    expect(names(table)).toEqual(['a\nb', 'b', 'c'])
    table.sort(undefined, false)
    expect(names(table)).toEqual(['b', 'a\nb', 'c'])
  })
})

test.each([
  ['', 0],
  ['a', 0],
  ['a,b\n', 0],
  ['"', 0],
  ['a\n"b', 1],
])('%j has %i rows', (text, count) => {
  expect(new CsvTable(text).count).toBe(count)
})

test('cells change nothing around them and are bounded', () => {
  const [[cell = '', next] = []] = new CsvTable(`a,b\n${'x'.repeat(5000)},\u202ey\n`).rows(0, 1)
  expect([cell.length, next]).toEqual([1001, '\ufffdy'])
})

test('a quote in every line costs time in proportion to the length', () => {
  const before = performance.now()
  expect(new CsvTable('"a",b\n'.repeat(100_000)).count).toBe(99_999)
  expect(new CsvTable(`x\n${'a,b\n'.repeat(200_000)}"`).count).toBe(200_001)
  expect(performance.now() - before).toBeLessThan(5000)
})
