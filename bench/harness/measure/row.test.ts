import { expect, test } from 'vitest'
import { mean, percentile } from './percentile.ts'
import { type Comparison, reached, rowOf } from './row.ts'

const comparison = (changes: Partial<Comparison> = {}): Comparison => ({
  name: 'some',
  ours: { samplesMs: [10, 20, 30], cpuMs: 4.00049 },
  peer: { name: 'other', measured: { samplesMs: [16, 8], cpuMs: null }, reach: undefined, notes: [] },
  floor: { exec: 1 },
  notes: [],
  ...changes,
})
const against = (reach: Comparison['peer']['reach'], samplesMs: number[]): Comparison =>
  comparison({ peer: { name: 'other', measured: { samplesMs, cpuMs: null }, reach, notes: [] } })

test('a percentile is a sample by nearest rank, in any order of samples', () => {
  const samples = [4, 1, 3, 2]
  expect(percentile(samples, 0.5)).toBe(2)
  expect(percentile(samples, 0.99)).toBe(4)
  expect(percentile(samples, 0)).toBe(1)
  expect(percentile([7], 0.5)).toBe(7)
  expect(samples).toEqual([4, 1, 3, 2])
})

test('a percentile without samples is NaN', () => {
  expect(percentile([], 0.5)).toBeNaN()
  expect(mean([])).toBeNaN()
})

test('the ratio is ours over the peer, by medians', () => {
  expect(rowOf(comparison())).toEqual({
    name: 'some',
    ours: { p50_ms: 20, p99_ms: 30, rate: 50 },
    peer: 'other',
    peer_ms: 8,
    ratio: 2.5,
    reach: null,
    met: null,
    floor: { exec: 1 },
    cpu_ms: { ours: 4, peer: null },
    notes: [],
  })
})

test('a ratio equal to the bar meets it, one past it does not', () => {
  expect(rowOf(against({ atMost: 2 }, [10]))).toMatchObject({ ratio: 2, reach: 'at most 2 x', met: true })
  expect(rowOf(against({ atMost: 1.999 }, [10]))).toMatchObject({ met: false })
  expect(rowOf(against({ atLeast: 2 }, [10]))).toMatchObject({ reach: 'at least 2 x', met: true })
  expect(reached(0.9, { atLeast: 1 })).toBe(false)
})

test('a bar is not met when its ratio could not be measured', () => {
  expect(rowOf(against({ atMost: 2 }, []))).toMatchObject({ peer_ms: null, ratio: null, met: false })
  const nothing = comparison({ ours: undefined })
  expect(rowOf({ ...nothing, peer: { ...nothing.peer, reach: { atMost: 2 } } })).toMatchObject({
    ours: null,
    ratio: null,
    met: false,
  })
})

test('the notes say why a peer was not measured', () => {
  const absent = { name: 'other', measured: undefined, reach: undefined, notes: ['it does not start here'] }
  expect(rowOf(comparison({ peer: absent, notes: ['one at a time'] }))).toMatchObject({
    peer_ms: null,
    met: null,
    notes: ['one at a time', 'it does not start here'],
  })
})
