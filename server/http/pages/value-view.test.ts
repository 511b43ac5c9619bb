import { expect, it } from 'vitest'
import { tablesOf, valueView } from './value-view.ts'

it('makes no table that is not shown', () => {
  const untouched = {
    get cell() {
      throw new Error('a table that is not shown was read')
    },
  }
  const list = [{ cell: 1 }]
  expect(tablesOf({ a: list, b: list, no: 1, c: list, d: list, e: [untouched] })).toHaveLength(4)
})

const textOf = (value: unknown) => valueView(value).text

it('shows the plain fields of an object as labels and values, and no tree if these are all', () => {
  const text = textOf({ total_amount: 12.5, note: '<b>' })
  expect(text).toContain('<th scope="row">Total amount</th><td>12.5</td>')
  expect(text).toContain('<th scope="row">Note</th><td>&lt;b&gt;</td>')
  expect(text).not.toContain('<details')
  expect(textOf({ rows: [{ a: 1 }, { a: 2 }] })).not.toContain('<details')
})

it.each([
  ['a nested object', { n: 1, more: { a: 1 } }],
  ['a nested cell', { rows: [{ a: [1] }] }],
  ['a long text', { n: 'x'.repeat(501) }],
  ['many fields', Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, at]))],
  ['many rows', Array.from({ length: 201 }, () => ({ a: 1 }))],
])('shows all of it as a tree behind a fold where fields and tables leave something out: %s', (_, value) => {
  const text = textOf(value)
  expect(text).toContain('<summary>All of it</summary><ul>')
  expect(text.indexOf('<table')).toBeLessThan(text.indexOf('<details'))
})

it('shows a value without fields or tables as a tree whose first level has no fold', () => {
  expect(textOf([1, 2])).toMatch(/^<ul><li><b>0<\/b> /)
  expect(textOf('text')).toContain('<span>text</span>')
  expect(textOf([])).toContain('0 items')
})
