import { expect, it } from 'vitest'
import { tablesOf } from './value-view.ts'

it('makes no table that is not shown', () => {
  const untouched = {
    get cell() {
      throw new Error('a table that is not shown was read')
    },
  }
  const list = [{ cell: 1 }]
  expect(tablesOf({ a: list, b: list, no: 1, c: list, d: list, e: [untouched] })).toHaveLength(4)
})
