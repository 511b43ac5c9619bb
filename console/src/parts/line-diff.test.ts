import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffLine, lineDiff } from './line-diff.ts'

const signs = { same: ' ', removed: '-', added: '+', skipped: '…' }
const written = (lines: DiffLine[]) =>
  lines.map(({ kind, text, count }) => signs[kind] + (kind === 'skipped' ? count : text))

test('texts that are the same have no difference', () => {
  expect(lineDiff('a\nb', 'a\nb')).toEqual([])
})

test('a changed line is removed and added, with the lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni'
  expect(written(lineDiff(before, before.replace('e', 'E')))).toEqual([
    '…1',
    ' b',
    ' c',
    ' d',
    '-e',
    '+E',
    ' f',
    ' g',
    ' h',
    '…1',
  ])
})

test('a text that begins or ends is added or removed as a whole', () => {
  expect(written(lineDiff('', 'a\nb'))).toEqual(['+a', '+b'])
  expect(written(lineDiff('a\nb', ''))).toEqual(['-a', '-b'])
})

test('the difference leads from either text to the other, with no more lines than it needs', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before.join('\n'), after.join('\n'))
      const kept = lines.reduce(
        (sum, { kind, count }) => sum + (kind === 'skipped' ? count : kind === 'same' ? 1 : 0),
        0,
      )
      const removed = lines.filter(({ kind }) => kind === 'removed').length
      const added = lines.filter(({ kind }) => kind === 'added').length
      if (lines.length === 0) return
      expect(kept + removed).toBe(before.length)
      expect(kept + added).toBe(after.length)
      expect(kept).toBe(longestCommon(before, after))
    }),
  )
})

test('texts with nothing in common are shown one after the other', () => {
  const long = (name: string) => Array.from({ length: 2000 }, (_, at) => `${name}${at}`).join('\n')
  const lines = lineDiff(long('a'), long('b'))
  expect(lines.slice(0, 2000).every(({ kind }) => kind === 'removed')).toBe(true)
  expect(lines.slice(2000).every(({ kind }) => kind === 'added')).toBe(true)
})

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let above = Array.from({ length: b.length + 1 }, () => 0)
  for (const line of a) {
    const row = [0]
    for (const [at, other] of b.entries())
      row.push(line === other ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0))
    above = row
  }
  return above.at(-1) ?? 0
}
