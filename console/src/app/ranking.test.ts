import { expect, test } from 'vitest'
import { ranked } from './ranking.ts'

const names = ['Late report', 'Report', 'monthly-report', 'Airports', 'Pilot sort']
const found = (typed: string) => ranked(typed, names, (name) => name)

test('the start of a text ranks before the start of a word, a part, and letters in order', () => {
  expect(found('report')).toEqual(['Report', 'Late report', 'monthly-report'])
  expect(found('port')).toEqual(['Late report', 'Report', 'monthly-report', 'Airports', 'Pilot sort'])
})

test('nothing typed keeps everything in its order', () => {
  expect(found(' ')).toEqual(names)
})

test('a name without the letters does not fit', () => {
  expect(found('xyz')).toEqual([])
})
