import { expect, test } from 'vitest'
import { type MeasuredRate, rateRowOf } from './rate-row.ts'

const measured = (...rates: number[]): MeasuredRate => ({
  results: rates.map((ratePerSecond) => ({ answers: 10, ratePerSecond, p50Ms: 1, p99Ms: 2 })),
  cpuMs: 60,
})

const row = (ours: MeasuredRate, atLeast: number) =>
  rateRowOf({
    name: 'a',
    ours,
    peer: { name: 'b', measured: measured(100, 300, 200), reach: { atLeast } },
    notes: [],
  })

test('compares the medians of the rounds; processor time is that of one response', () => {
  expect(row(measured(50, 900, 100), 0.5)).toMatchObject({
    ours: { p50_ms: 1, p99_ms: 2, rate: 100 },
    peer_rate: 200,
    ratio: 0.5,
    reach: 'at least 0.5 x',
    met: true,
    cpu_ms: { ours: 2, peer: 2 },
  })
})

test('a rate below the bar does not meet it', () => {
  expect(row(measured(99), 0.5)).toMatchObject({ ratio: 0.495, met: false })
})
