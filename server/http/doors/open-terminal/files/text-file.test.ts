import { expect, it } from 'vitest'
import { linesOf } from './text-file.ts'

it.each([
  ['', {}, '', 0],
  ['a', {}, 'a', 1],
  ['a\nb\n', {}, 'a\nb\n', 2],
  ['a\n\nc', { first: 2 }, '\nc', 3],
  ['a\n\nc', { last: 2 }, 'a\n\n', 3],
  ['a\nb\nc', { first: 2, last: 2 }, 'b\n', 3],
  ['a\nb', { first: 3 }, '', 2],
  ['a\nb', { first: 2, last: 1 }, '', 2],
  ['a\nb', { first: 2, last: 9 }, 'b', 2],
])('lines of %j with %j', (text, range, content, total) => {
  expect(linesOf(text, range)).toEqual({ content, total })
})
