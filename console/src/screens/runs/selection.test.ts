import { expect, test } from 'vitest'
import { countOf, isChosen, nothing, toggled, withRuns } from './selection.ts'

test('a run is chosen by one toggle and left by the next', () => {
  const one = toggled(nothing, 'run_1')
  expect([isChosen(one, 'run_1'), isChosen(one, 'run_2'), countOf(one, 9)]).toEqual([true, false, 1])
  expect(toggled(one, 'run_1')).toEqual(nothing)
})

test('where all are chosen, each is, and a toggle leaves none out', () => {
  expect([isChosen('all', 'run_1'), countOf('all', 9), toggled('all', 'run_1')]).toEqual([true, 9, 'all'])
})

test('a range adds no more runs than one request takes', () => {
  const ids = Array.from({ length: 700 }, (_, at) => `run_${at}`)
  expect(countOf(withRuns(nothing, ids), 700)).toBe(500)
})
