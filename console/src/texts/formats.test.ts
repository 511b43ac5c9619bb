import { expect, test } from 'vitest'
import { makeFormats } from './formats.ts'

const english = makeFormats('en', 'UTC')
const german = makeFormats('de', 'Europe/Berlin')
const now = Date.UTC(2026, 10, 29, 12)

test.each([
  [0, '0.0 s'],
  [412, '0.4 s'],
  [12_300, '12 s'],
  [59_600, '1 min 0 s'],
  [252_000, '4 min 12 s'],
  [7_500_000, '2 h 5 min'],
])('a duration of %i ms is written as %s', (ms, text) => {
  expect(english.duration(ms)).toBe(text)
})

test('a day of UTC stays that day wherever the person is', () => {
  expect(english.day('2026-11-30')).toBe('Nov 30, 2026')
  expect(german.day('2026-11-01')).toBe('01.11.2026')
})

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1536, '1.5 KiB'],
  [64 * 1024 * 1024, '64.0 MiB'],
  [300 * 1024 * 1024, '300 MiB'],
])('%i bytes are written as %s', (count, text) => {
  expect(english.bytes(count)).toBe(text)
})

test('a time is relative for a day, then a date in the zone of the person', () => {
  expect(english.when(new Date(now - 4 * 60_000), now)).toBe('4 min. ago')
  expect(german.when(new Date(now - 3 * 3_600_000), now)).toBe('vor 3 Std.')
  expect(german.when(new Date(now - 25 * 3_600_000), now)).toBe('28.11.2026, 12:00')
})

test('an amount keeps four significant digits', () => {
  expect(english.money('0.00312', 'USD')).toBe('USD\u00a00.003120')
})
