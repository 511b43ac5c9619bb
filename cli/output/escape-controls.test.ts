import { expect, test } from 'vitest'
import { escapeControls, escapeLines } from './escape-controls.ts'

test('terminal control characters are escaped', () => {
  expect(escapeControls('\u001b]0;owned\u0007')).toBe('\\x1b]0;owned\\x07')
  expect(escapeControls('\u009b31m')).toBe('\\x9b31m')
  expect(escapeControls('a\rb\bc\u007f')).toBe('a\\x0db\\x08c\\x7f')
})

test('bidirectional and invisible characters are escaped', () => {
  expect(escapeControls('gpj\u202etxt')).toBe('gpj\\u202etxt')
  expect(escapeControls('a\u200bb\ufeff\u2066')).toBe('a\\u200bb\\ufeff\\u2066')
  expect(escapeControls('\ud800')).toBe('\\ud800')
})

test('ordinary text of any language stays', () => {
  expect(escapeControls('Zürich 東京 – 👩 ✓')).toBe('Zürich 東京 – 👩 ✓')
})

test('line ends and tabs stay, and a carriage return that overwrites a line is escaped', () => {
  expect(escapeLines('a\tb\r\nc\rd\n')).toBe('a\tb\nc\\x0dd\n')
})
