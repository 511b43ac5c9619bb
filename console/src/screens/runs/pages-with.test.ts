import { expect, test } from 'vitest'
import { pagesWith } from './pages-with.ts'

test('the rows in view name the pages that have them', () => {
  expect(pagesWith(0, 30, 500)).toEqual([0])
  expect(pagesWith(480, 500, 500)).toEqual([0])
  expect(pagesWith(480, 501, 500)).toEqual([0, 1])
  expect(pagesWith(99_490, 100_000, 500)).toEqual([198, 199])
  expect(pagesWith(0, 0, 500)).toEqual([0])
})
