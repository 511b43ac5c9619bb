import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { expect, test } from 'vitest'
import { findingChanges, packageChanges } from './image-changes.ts'

const deb = (name: string, version: string) => ({ kind: 'deb', name, version })

test('packages are added, removed, or have another version', () => {
  const before = [deb('openssl', '3.0'), deb('wget', '1.21'), deb('zlib', '1.2')]
  const after = [deb('curl', '8.1'), deb('openssl', '3.1'), deb('zlib', '1.2')]
  expect(packageChanges(before, after)).toEqual([
    { kind: 'deb', name: 'curl', before: '', after: '8.1' },
    { kind: 'deb', name: 'openssl', before: '3.0', after: '3.1' },
    { kind: 'deb', name: 'wget', before: '1.21', after: '' },
  ])
})

test('a name with several versions is compared as a whole, and each package manager alone', () => {
  const npm = (version: string) => ({ kind: 'npm', name: 'openssl', version })
  expect(packageChanges([npm('2'), npm('1')], [npm('1'), npm('2'), deb('openssl', '3')])).toEqual([
    { kind: 'deb', name: 'openssl', before: '', after: '3' },
  ])
  const inBothOrders = [
    [npm('1'), deb('openssl', '3')],
    [deb('openssl', '3'), npm('1')],
  ]
  for (const packages of inBothOrders)
    expect(packageChanges([], packages).map(({ kind }) => kind)).toEqual(['deb', 'npm'])
})

test('a finding is the same in another version of its package', () => {
  const finding = (rule: string, installed_version: string) =>
    ({ kind: 'vulnerability', rule, subject: 'pkg:deb/debian/openssl', installed_version }) as ScanFinding
  const { added, gone } = findingChanges(
    [finding('A', '1'), finding('B', '1')],
    [finding('B', '2'), finding('C', '2')],
  )
  expect([added.map(({ rule }) => rule), gone.map(({ rule }) => rule)]).toEqual([['C'], ['A']])
})
