import { expect, test } from 'vitest'
import { networkOfRun } from './run-network.ts'

const cap = 1000
const free = {
  runtime_egress_enabled: true,
  reserved_received_bytes: null,
  reserved_sent_bytes: null,
  environment_allow_list: null,
  task_allow_list: null,
}
const list = (...entries: string[]) => ({
  domains: entries.filter((entry) => !entry.includes('/')),
  cidrs: entries.filter((entry) => entry.includes('/')),
})

test('a run without lists reaches all that is public', () => {
  expect(networkOfRun(free, cap)).toEqual({ egressCapBytes: cap })
})

test('a run may use the bytes that its hold covers, and never more than the operator permits', () => {
  const allow = { names: ['a.example'], ranges: [] }
  const priced = { ...free, reserved_received_bytes: 70, reserved_sent_bytes: 80 }
  expect(networkOfRun(priced, cap)).toEqual({ egressCapBytes: 80, ingressCapBytes: 70 })
  expect(networkOfRun({ ...priced, task_allow_list: list('a.example') }, 50)).toEqual({
    egressCapBytes: 50,
    ingressCapBytes: 70,
    allow,
  })
})

test('a list gives no network where company or operator give none', () => {
  const listed = { ...free, task_allow_list: list('a.example') }
  expect(networkOfRun(listed, undefined)).toBe('none')
  expect(networkOfRun({ ...listed, runtime_egress_enabled: false }, cap)).toBe('none')
})

test('of one list it reaches what that has', () => {
  const allow = { names: ['a.example'], ranges: ['8.8.8.0/24'] }
  const one = list('a.example', '8.8.8.0/24')
  expect(networkOfRun({ ...free, task_allow_list: one }, cap)).toEqual({ egressCapBytes: cap, allow })
  expect(networkOfRun({ ...free, environment_allow_list: one }, cap)).toEqual({
    egressCapBytes: cap,
    allow,
  })
})

test.each([
  ['nothing in common', list('a.example', '8.8.8.0/24'), list('b.example', '9.9.9.0/24'), list()],
  ['an empty one', list('*.example', '8.0.0.0/9'), list(), list()],
  [
    'the same',
    list('a.example', '8.8.8.0/24'),
    list('a.example', '8.8.8.0/24'),
    list('a.example', '8.8.8.0/24'),
  ],
  [
    'a wildcard',
    list('*.example'),
    list('a.example', 'b.a.example', 'example'),
    list('a.example', 'b.a.example'),
  ],
  [
    'two wildcards',
    list('*.example', '*.b.test'),
    list('*.a.example', '*.test'),
    list('*.b.test', '*.a.example'),
  ],
  ['a name that only ends alike', list('*.example'), list('an-example', 'a.b-example'), list()],
  [
    'ranges in each other',
    list('8.8.0.0/16', '1.1.1.1/32'),
    list('8.8.8.0/24', '1.1.1.0/24'),
    list('1.1.1.1/32', '8.8.8.0/24'),
  ],
  ['one range in two spellings', list('2606:4700::/32'), list('2606:4700:0::/32'), list('2606:4700::/32')],
  ['families', list('8.8.8.0/24'), list('2606:4700::/32'), list()],
])('of two lists it reaches what both allow: %s', (_what, one, other, both) => {
  const allow = { names: both.domains, ranges: both.cidrs }
  const job = { ...free, environment_allow_list: one, task_allow_list: other }
  expect(networkOfRun(job, cap)).toEqual({ egressCapBytes: cap, allow })
})
