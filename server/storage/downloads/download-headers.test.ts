import { expect, it } from 'vitest'
import { rangeOf } from './download-headers.ts'

it.each([
  ['bytes=0-3', { start: 0, end: 4 }],
  ['bytes=2-', { start: 2, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-30', { start: 0, end: 10 }],
  ['bytes=9-99', { start: 9, end: 10 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=4-2', undefined],
  ['bytes=0-1,4-5', undefined],
  ['lines=0-1', undefined],
  ['bytes=-', undefined],
  ['bytes=99999999999999999999-', undefined],
  [undefined, undefined],
])('%s of ten bytes', (header, expected) => {
  expect(rangeOf(header, 10)).toEqual(expected)
})

it('an empty object has no range', () => {
  expect([rangeOf('bytes=0-', 0), rangeOf('bytes=-1', 0)]).toEqual(['none', 'none'])
})
