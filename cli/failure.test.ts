import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { expect, test } from 'vitest'
import { describeFailure } from './failure.ts'

test('a temporary refusal says how long to wait', () => {
  const detail = { code: 'build_admission_fenced', message: 'Builds are held.', retry_after_seconds: 90 }
  const hintOf = (retryAfter: string | null) =>
    describeFailure(new ApiError({ status: 503, detail, retryAfter }), 'http://sandbox.test').hint
  expect(hintOf('90')).toBe('Try again in 90 seconds.')
  expect(hintOf('1')).toBe('Try again in 1 second.')
  expect(hintOf(null)).toBe('Wait for Retry-After.')
})
