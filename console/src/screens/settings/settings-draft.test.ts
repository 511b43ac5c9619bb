import { expect, test } from 'vitest'
import { daysOf, draftOf, updateOf } from './settings-draft.ts'

const settings = {
  run_content_retention_days: 30,
  unreferenced_image_retention_days: 14,
  allowed_regions: ['onprem' as const],
}
const max = { content: 365, image: 90 }

test('what is stored goes back as it is', () => {
  expect(updateOf(draftOf(settings), 4, max)).toEqual({ ...settings, policy_version: 4 })
})

test.each(['', '0', '366', '1.5', '-1', '1e2', 'x'])('%j is no number of days', (typed) => {
  expect(daysOf(typed, max.content)).toBeUndefined()
})

test('nothing is sent while a field has an invalid value', () => {
  expect(updateOf({ ...draftOf(settings), imageDays: '91' }, 4, max)).toBeUndefined()
  expect(updateOf({ ...draftOf(settings), regions: [] }, 4, max)).toBeUndefined()
})
