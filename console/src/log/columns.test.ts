import { expect, test } from 'vitest'
import { rowStarts } from './columns.ts'

const rowsOf = (text: string, columns: number): string[] => {
  const starts = rowStarts(text, columns)
  return starts.map((start, at) => text.slice(start, starts[at + 1] ?? text.length))
}

test.each([
  ['plain text', 'abcdefghij', ['abcd', 'efgh', 'ij']],
  ['a text of just one row', 'abcd', ['abcd']],
  ['nothing', '', ['']],
  ['wide characters take two columns', '漢字漢a', ['漢字', '漢a']],
  ['a wide character is not divided', 'abc漢', ['abc', '漢']],
  ['emoji are wide and stay whole', '🎉🎉🎉', ['🎉🎉', '🎉']],
  ['marks stay with their character', 'abce\u0301\u0301f', ['abce\u0301\u0301', 'f']],
  ['a tab that does not fit begins a row', 'ab\tc', ['ab', '\t', 'c']],
])('%s', (_name, text, expected) => {
  expect(rowsOf(text, 4)).toEqual(expected)
})
