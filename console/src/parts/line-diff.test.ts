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

const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 })

test('the difference leads from either text to the other, with no more lines than it needs', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = lineDiff(before.join('\n'), after.join('\n'))
      if (lines.length > 0) expect(bothTexts(lines, before)).toEqual({ old: before, now: after })
      else expect(before).toEqual(after)
      const removed = lines.filter(({ kind }) => kind === 'removed').length
      expect(before.length - removed).toBe(longestCommon(before, after))
    }),
  )
})

test('a difference has at most three lines on each side of it', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const kinds = lineDiff(before.join('\n'), after.join('\n')).map(({ kind }) => kind)
      expect(kinds.join(' ')).not.toMatch(/skipped skipped|(same ?){7}/)
    }),
  )
})

test('texts with nothing in common are shown one after the other', () => {
  const long = (name: string) => Array.from({ length: 2000 }, (_, at) => `${name}${at}`).join('\n')
  const lines = lineDiff(long('a'), long('b'))
  expect(lines.slice(0, 2000).every(({ kind }) => kind === 'removed')).toBe(true)
  expect(lines.slice(2000).every(({ kind }) => kind === 'added')).toBe(true)
})

/** The texts that a difference is of. The lines that it leaves out are those of the first. */
function bothTexts(lines: readonly DiffLine[], before: readonly string[]) {
  const old: string[] = []
  const now: string[] = []
  for (const { kind, text, count } of lines) {
    const both = kind === 'skipped' ? before.slice(old.length, old.length + count) : [text]
    if (kind !== 'added') old.push(...both)
    if (kind !== 'removed') now.push(...both)
  }
  return { old, now }
}

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
