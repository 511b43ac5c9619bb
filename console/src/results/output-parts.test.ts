import { expect, test } from 'vitest'
import { partsOf } from './output-parts.ts'

test('an object has its plain fields and its lists of objects', () => {
  const value = { total: 3, note: null, rows: [{ a: 1 }, { b: 2, a: 3 }], deep: { x: 1 } }
  expect(partsOf(value)).toMatchObject({
    fields: [
      ['total', 3],
      ['note', null],
    ],
    tables: [{ name: 'rows', columns: ['a', 'b'] }],
    isWhole: false,
  })
})

test('fields and tables of plain values are all of it', () => {
  expect(partsOf({ total: 3, rows: [{ a: 1 }] }).isWhole).toBe(true)
  expect(partsOf([{ a: 1 }])).toMatchObject({
    fields: [],
    tables: [{ name: undefined, columns: ['a'] }],
    isWhole: true,
  })
  expect(partsOf([{ a: [1] }]).isWhole).toBe(false)
})

test.each([[[]], [[1, 2]], ['text'], [null], [[{ a: 1 }, 2]]])('%j has no table', (value) => {
  expect(partsOf(value)).toEqual({ fields: [], tables: [], isWhole: false })
})

test('columns and tables are bounded', () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`c${at}`, at]))
  const parts = partsOf(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`t${at}`, [wide]])))
  expect(parts.tables).toHaveLength(4)
  expect(parts.tables[0]?.columns).toHaveLength(20)
  expect(parts.isWhole).toBe(false)
})
