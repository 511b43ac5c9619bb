import { expect, test } from 'vitest'
import { detailText } from './detail-text.ts'

test('details are names with values, without the reason', () => {
  expect(detailText({ minutes: 5, reason: 'why', request: 'ab', more: { a: [1] } })).toBe(
    'minutes: 5, request: ab, more: {"a":[1]}',
  )
  expect(detailText({})).toBe('')
})
