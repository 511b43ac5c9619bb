import { expect, test } from 'vitest'
import { registryRefusal } from './registry-answer.ts'

const now = new Date('2026-01-01T00:00:00Z')
const parse = (answer: string, isOfficial = false) => registryRefusal(answer, { isOfficial, now })

test.each([
  ['', { problem: 'base_registry_unreachable' }],
  ['404 NAME_UNKNOWN - -\n', { problem: 'base_name_unknown' }],
  ['404 MANIFEST_UNKNOWN - 12;w=60\n', { problem: 'base_tag_unknown' }],
  ['401 - - -\n', { problem: 'base_login_required' }],
  ['403 - - -\n', { problem: 'base_login_required' }],
  ['429 - 30 -\n', { problem: 'base_rate_limited', waitSeconds: 30 }],
  ['429 - Thu,_01_Jan_2026_00:01:00_GMT -\n', { problem: 'base_rate_limited', waitSeconds: 60 }],
  ['429 - - 0;w=21600\n', { problem: 'base_rate_limited', waitSeconds: 21_600 }],
  ['200 - - 0;w=21600\n', { problem: 'base_rate_limited', waitSeconds: 21_600 }],
  ['429 - - -\n', { problem: 'base_rate_limited', waitSeconds: undefined }],
  ['429 - 99999999999 -\n', { problem: 'base_rate_limited', waitSeconds: undefined }],
  ['404 - - -\n', undefined],
  ['500 - - -\n', undefined],
  ['200 - - 99;w=60\n', undefined],
  ['- - - -\n', undefined],
  ['429 - 30 -\nmore', undefined],
])('%j is understood', (answer, refusal) => {
  expect(parse(answer)).toEqual(refusal)
})

test('a refused login at official images means that there is no such name', () => {
  expect(parse('401 - - -\n', true)).toEqual({ problem: 'base_name_unknown' })
})
