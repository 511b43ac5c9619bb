import type { CompanyLimits } from '@sandbox-jobs/contract/operator/company-limits.ts'
import { expect, test } from 'vitest'
import { changesOf, isInvalid, limitText } from './limits-draft.ts'

const limits: CompanyLimits = {
  runtime_egress_enabled: true,
  timeout_ceiling_seconds: 3600,
  active_environment_limit: 10,
  capacity_retained_version_limit: 5,
  run_concurrency_limit: 50,
  run_timeout_bound_seconds: null,
  queued_run_limit: 20,
  active_build_limit: 2,
  queued_build_limit: 20,
  kept_bytes_limit: 500 * 1024 ** 3,
  network_cache_days: 7,
}
const company = { limits, queued_run_limit_max: 20 }

test('a size is shown with the largest unit that has no fraction', () => {
  expect(limitText('kept_bytes_limit', 500 * 1024 ** 3)).toBe('500 GiB')
  expect(limitText('kept_bytes_limit', 1025)).toBe('1025')
  expect(limitText('kept_bytes_limit', null)).toBe('')
  expect(limitText('run_concurrency_limit', 50)).toBe('50')
})

test('what is shown can be sent as it is and changes nothing', () => {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === 'boolean') continue
    const shown = limitText(name as 'queued_run_limit', value)
    expect([name, isInvalid(company, name as 'queued_run_limit', shown)]).toEqual([name, false])
    expect(changesOf({ [name]: shown }, company)).toEqual({})
  }
})

test('a draft changes what differs from the stored limits', () => {
  const draft = { run_concurrency_limit: '5', kept_bytes_limit: '1.5 TiB', runtime_egress_enabled: false }
  expect(changesOf(draft, company)).toEqual({
    run_concurrency_limit: 5,
    kept_bytes_limit: 1.5 * 1024 ** 4,
    runtime_egress_enabled: false,
  })
  expect(changesOf({ queued_run_limit: '20', runtime_egress_enabled: true }, company)).toEqual({})
})

test.each(['', '0', '-1', '1.5', '1e2', 'x', '21'])('%j is no number of queued runs', (typed) => {
  expect(isInvalid(company, 'queued_run_limit', typed)).toBe(true)
  expect(changesOf({ queued_run_limit: typed }, company)).toEqual({})
})

test('a limit that is not set may stay so, and one that is set cannot be removed', () => {
  expect(isInvalid(company, 'run_timeout_bound_seconds', '')).toBe(false)
  expect(isInvalid(company, 'kept_bytes_limit', ' ')).toBe(true)
})
