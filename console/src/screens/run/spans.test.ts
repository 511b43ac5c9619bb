import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { expect, test } from 'vitest'
import { spansOf } from './spans.ts'

const second = (seconds: number): string => new Date(seconds * 1000).toISOString()
const states = (...written: [RunState, number][]) =>
  written.map(([status, seconds]) => ({ status, at: second(seconds) }))

test('a run that goes on has been in its last state until now', () => {
  expect(spansOf(states(['queued', 0], ['running', 2]), null, 5000)).toEqual([
    { status: 'queued', ms: 2000 },
    { status: 'running', ms: 3000 },
  ])
})

test('the end of a run is no span', () => {
  expect(spansOf(states(['queued', 0], ['completed', 4]), second(4), 9000)).toEqual([
    { status: 'queued', ms: 4000 },
  ])
})

test('a state that came back counts once, with all of its time', () => {
  const spans = spansOf(states(['queued', 0], ['starting', 1], ['queued', 3], ['starting', 6]), null, 7000)
  expect(spans).toEqual([
    { status: 'queued', ms: 4000 },
    { status: 'starting', ms: 3000 },
  ])
})

test('a clock of the browser that is behind makes no negative time', () => {
  expect(spansOf(states(['running', 10]), null, 3000)).toEqual([{ status: 'running', ms: 0 }])
})
