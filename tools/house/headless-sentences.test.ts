import { expect, test } from 'vitest'
import { headlessLines } from './headless-sentences.ts'

const inCode = (line: string) => headlessLines('a.ts', line).length > 0
const inDocument = (line: string) => headlessLines('a.md', line).length > 0

test.each([
  '/** What a run left. */',
  ' * Whoever may approve. Others may not.',
  '// Rows of a run. What is locked is left out.',
  ['const a = 1', '// Who acts.'].join(' '),
])('the comment %j has a sentence without a subject', (line) => {
  expect(inCode(line)).toBe(true)
})

test.each([
  '/** Results of a run. */',
  '// Skips what is locked, and whoever waits.',
  '/** What does it cost? */',
  "const title = 'What a run left.'",
])('the line %j has none', (line) => {
  expect(inCode(line)).toBe(false)
})

test.each(['## What it does', '| Who | Rule |', '- **Kept.** What a run left.', 'Text. Whose it is.'])(
  'the line %j of a document has one',
  (line) => {
    expect(inDocument(line)).toBe(true)
  },
)

test('fenced code of a document and comments of a shell script', () => {
  expect(headlessLines('a.md', '```\nWhat a run left.\n```\nWhat is kept.')).toEqual([4])
  expect(headlessLines('check', 'set -eu\n# What is installed.')).toEqual([2])
})
