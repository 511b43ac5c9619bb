import { expect, test } from 'vitest'
import { phaseTable } from './phases.ts'

test('each line is the time since the previous moment, and the means add up to the whole', () => {
  const text = phaseTable('phase', [
    [
      ['begin', 100],
      ['first', 101],
      ['second', 104],
    ],
    [
      ['begin', 200],
      ['first', 203],
      ['second', 208],
    ],
  ])
  expect(text.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['phase', 'mean ms', 'p50 ms', 'share'],
    ['first', '2.00', '1.00', '33%'],
    ['second', '4.00', '3.00', '67%'],
    ['whole', '6.00', '4.00', '100%'],
  ])
})
