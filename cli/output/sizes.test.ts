import { expect, test } from 'vitest'
import { bytesText, durationText } from './sizes.ts'

test('sizes have at most three digits', () => {
  expect([0, 999, 1000, 1536, 300 * 1024, 2 ** 40].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.0 KiB',
    '1.5 KiB',
    '300 KiB',
    '1024 GiB',
  ])
})

test('durations are readable', () => {
  expect([40, 9_940, 12_400, 200_000, 7_500_000].map(durationText)).toEqual([
    '0.0 s',
    '9.9 s',
    '12 s',
    '3 min 20 s',
    '2 h 5 min',
  ])
})
