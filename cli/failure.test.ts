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

test.each([
  ['CERT_HAS_EXPIRED', 'has ended', 'renew'],
  ['CERT_NOT_YET_VALID', 'is not valid yet', 'clock'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'names another host', '--url'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is not of an authority', 'NODE_EXTRA_CA_CERTS'],
])('a certificate that is refused (%s) is no service that does not answer', (code, problem, hint) => {
  const error = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) })
  const failure = describeFailure(error, 'https://sandbox.test')
  expect(failure).toMatchObject({ code: 'service_certificate', exitCode: 1 })
  expect(failure.message).toContain(`The certificate of https://sandbox.test ${problem}`)
  expect(failure.hint).toContain(hint)
})
