import { expect, it } from 'vitest'
import { cutText, visibleText } from './visible-text.ts'

it.each([
  ['an escape sequence', 'a\u001b[31mb', 'a\\u{001b}[31mb'],
  ['a reversed direction', 'a\u202eb', 'a\\u{202e}b'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['a tag character', 'a\u{e0041}b', 'a\\u{e0041}b'],
  ['half a character', 'a\ud800b', 'a\\u{d800}b'],
  ['a carriage return', 'a\rb', 'a\\u{000d}b'],
])('%s is spelled out', (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

it('ordinary text of any language stays as it is', () => {
  const text = 'Größe 東京 عربي 🚀\n\tcolumn'
  expect(visibleText(text)).toBe(text)
})

it('a cut is marked and never splits a character', () => {
  expect(cutText('abc', 3)).toBe('abc')
  expect(cutText('ab🚀cd', 3)).toBe('ab\n[cut: 2 of 6 characters are shown]')
})
