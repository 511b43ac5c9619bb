import { expect, test } from 'vitest'
import { aligned, jsonLines, summaryOf, tableText } from './report.ts'
import { type Row, rowOf } from './row.ts'

const row = (name: string, ratio: number, reach?: number): Row =>
  rowOf({
    name,
    ours: { samplesMs: [ratio * 10], cpuMs: 1 },
    peer: {
      name: 'other',
      measured: { samplesMs: [10], cpuMs: 2 },
      reach: reach === undefined ? undefined : { atMost: reach },
      notes: ['one core'],
    },
    floor: { exec: 0.5 },
    notes: [],
  })

test('rows are JSON lines and the last line counts them', () => {
  const lines = jsonLines([row('a', 1, 2), row('b', 3, 2), row('c', 9)])
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ name: 'b', ratio: 3, reach: 'at most 2 x', met: false })
  expect(JSON.parse(lines[3] ?? '')).toEqual({ suite: 'bench', cases: 3, failed: 1 })
})

test('a row without a bar cannot fail', () => {
  expect(summaryOf([row('a', 100)])).toEqual({ suite: 'bench', cases: 1, failed: 0 })
})

test('the table has each note and each floor once', () => {
  const text = tableText([row('a', 1, 2), row('b', 3, 2)])
  expect(text.match(/one core/g)).toHaveLength(1)
  expect(text.match(/exec/g)).toHaveLength(1)
  expect(text).toContain('2 rows, 1 with a bar that is not met')
})

test('numbers are aligned right, words left', () => {
  expect(
    aligned([
      ['name', 'ms'],
      ['a', '1.00'],
      ['long', '-'],
    ]),
  ).toBe('name    ms\na     1.00\nlong     -')
})
