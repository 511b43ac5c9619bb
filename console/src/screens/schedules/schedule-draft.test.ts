import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { expect, test } from 'vitest'
import { bodyOfSchedule, changesOf, draftOfSchedule } from './schedule-draft.ts'

const stored = {
  ...{ name: 'Daily', cron: '0 8 * * *', time_zone: 'UTC', missed: 'skip', timeout_seconds: 60 },
} as Schedule

test('a change has the fields that differ, and no others', () => {
  const before = draftOfSchedule(stored, '{"n":1}')
  expect(changesOf(before, before)).toEqual({})
  const values = { ...before.values, cron: '5 8 * * *', missed: 'once' as const }
  expect(changesOf(before, { ...before, values })).toEqual({ cron: '5 8 * * *', missed: 'once' })
  expect(changesOf(before, { ...before, input: { n: 2 } })).toEqual({ input: { n: 2 } })
})

test('an input with a number that no browser can hold is not sent again, unless it was changed', () => {
  const before = draftOfSchedule(stored, '{"n":12345678901234567890}')
  expect(changesOf(before, { ...before, timeout: '90' })).toEqual({ timeout_seconds: 90 })
})

test('a timeout that is cleared is that of the version', () => {
  const before = draftOfSchedule(stored, 'null')
  expect(before.timeout).toBe('60')
  expect(changesOf(before, { ...before, timeout: '' })).toEqual({ timeout_seconds: null })
  expect(bodyOfSchedule({ ...before, input: undefined })).toMatchObject({ input: null, timeout_seconds: 60 })
})
