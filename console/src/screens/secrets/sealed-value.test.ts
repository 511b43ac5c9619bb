import { expect, test } from 'vitest'
import { problemOf, withoutLastLineFeed } from './sealed-value.ts'

test.each([
  ['abc', 'tooShort'],
  ['abcd', undefined],
  ['ä€', undefined],
  ['x'.repeat(65_536), undefined],
  ['x'.repeat(65_537), 'tooLong'],
  ['€'.repeat(21_846), 'tooLong'],
  ['ab\0cd', 'hasNul'],
  ['abcd\ud800', 'notText'],
])('a value %# is as the service takes it, by its bytes', (value, problem) => {
  expect(problemOf(value)).toBe(problem)
})

test('one line feed at the end is left out, and no other', () => {
  expect(withoutLastLineFeed('key\n')).toBe('key')
  expect(withoutLastLineFeed('key\r\n')).toBe('key')
  expect(withoutLastLineFeed('key\n\n')).toBe('key\n')
  expect(withoutLastLineFeed('\nkey ')).toBe('\nkey ')
})
