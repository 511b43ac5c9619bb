import { expect, test } from 'vitest'
import { countedFindings } from './counted-findings.ts'

const none = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0 }
const environment = (name: string, findings: Partial<typeof none> | null) => ({
  id: name,
  name,
  findings: findings && { ...none, ...findings },
})

test('one critical finding comes before many others', () => {
  const all = [
    environment('many', { high: 900, low: 9 }),
    environment('worst', { critical: 1 }),
    environment('few', { high: 2 }),
  ]
  expect(countedFindings(all).map(({ name }) => name)).toEqual(['worst', 'many', 'few'])
})

test('environments without findings, and those of others, are left out', () => {
  expect(countedFindings([environment('clean', {}), environment('curated', null)])).toEqual([])
})
