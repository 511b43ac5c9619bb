import type { RunEstimate } from '@sandbox-jobs/contract/resources/runs/run-estimate.ts'
import { expect, test } from 'vitest'
import { en } from '../../texts/en.ts'
import { makeFormats } from '../../texts/formats.ts'
import { estimateLines } from './estimate-lines.ts'

const nothingKnown: RunEstimate = {
  timeout_seconds: 60,
  currency: null,
  hold: null,
  typical_cost: null,
  typical_seconds: null,
  wait: null,
  refusals: [],
}

const lines = (known: Partial<RunEstimate>) =>
  estimateLines({ ...nothingKnown, ...known }, en.estimate, makeFormats('en')).map((line) =>
    line.replaceAll('\u00a0', ' '),
  )

test('a price says what is held and what earlier runs cost', () => {
  expect(lines({ currency: 'USD', hold: '0.003100', typical_cost: '0.000400' })).toEqual([
    'Up to USD 0.003100, reserved from the budget until the run ends',
    'Usually USD 0.0004000',
  ])
})

test('a run that is next and waits for nobody starts at once', () => {
  expect(lines({ wait: { position: 1, seconds: 5, reason: 'awaiting_dispatch' } })).toEqual([
    'Starts at once',
  ])
  expect(lines({ wait: { position: 1, seconds: 5, reason: 'provider_capacity_exhausted' } })).toEqual([
    'Starts in about 5.0 s',
    'Place 1 in the queue',
    'Waits for a free place on a machine',
  ])
})

test('a run that waits has its time, its place and the reason', () => {
  expect(lines({ wait: { position: 3, seconds: 90, reason: 'company_saturated' } })).toEqual([
    'Starts in about 1 min 30 s',
    'Place 3 in the queue',
    'Waits for another run of your company to end',
  ])
  expect(lines({ wait: { position: null, seconds: null, reason: 'awaiting_dispatch' } })).toEqual([])
})

test('earlier runs say how long one takes', () => {
  expect(lines({ typical_seconds: { p50: 40, p95: 95, runs: 7 } })).toEqual([
    'Usually takes 40 s, rarely more than 1 min 35 s',
  ])
})

test('nothing is said of what is not known', () => {
  expect(lines({})).toEqual([])
})
