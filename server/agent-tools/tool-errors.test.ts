import { agentToolErrors } from '@sandbox-jobs/contract/errors/agent-tool-errors.ts'
import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { expect, it } from 'vitest'
import { CodedError } from '../base/errors/coded-error.ts'
import { PlainError } from '../base/errors/plain-error.ts'
import { errorResult } from './tool-errors.ts'

/* How refusals of a submission become errors of a tool (contract part 2, "Agent tool error codes"). */

const codes = Object.keys(catalogue) as ErrorCode[]
const errorOf = (code: ErrorCode) => errorResult(new CodedError(code))

it.each<[ErrorCode, keyof typeof agentToolErrors]>([
  ['sandbox_queued_run_limit', 'provider_unavailable'],
  ['queue_full', 'provider_unavailable'],
  ['sandbox_disabled', 'provider_unavailable'],
  ['sandbox_writeback_key_unavailable', 'provider_unavailable'],
  ['input_staging_unavailable', 'provider_unavailable'],
  ['output_policy_author_denied', 'unauthorized'],
  ['budget_reservation_exceeded', 'unauthorized'],
  ['not_found', 'unauthorized'],
  ['output_policy_schema_mismatch', 'validation_error'],
  ['output_policy_unsatisfiable', 'validation_error'],
  ['version_not_runnable', 'validation_error'],
  ['input_schema_violation', 'validation_error'],
])('%s is %s', (code, error) => {
  expect(errorOf(code)).toMatchObject({ status: 'error', error })
})

it('every code of the catalogue has one by its status, with words and advice', () => {
  for (const code of codes) {
    const { error, message } = errorOf(code)
    const { status } = catalogue[code]
    if (status === 403) expect(error).toBe('unauthorized')
    if ([400, 409, 422].includes(status)) expect(error).toBe('validation_error')
    if (status === 429 || status === 503) expect(error).toBe('provider_unavailable')
    expect(String(message)).toContain(agentToolErrors[error as keyof typeof agentToolErrors])
  }
  expect(errorResult(new PlainError(401, 'x'))).toMatchObject({ error: 'unauthorized' })
})

it('what is hidden and what is absent get the same message, and a fault shows no detail', () => {
  expect(errorOf('not_found').message).toBe(agentToolErrors.unauthorized)
  expect(errorResult(new Error('row 7 of users'))).toEqual({
    status: 'error',
    error: 'internal_error',
    message: agentToolErrors.internal_error,
  })
})
