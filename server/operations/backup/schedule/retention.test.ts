import { expect, test } from 'vitest'
import { lastTime } from './backup-times.ts'
import { notKept } from './retention.ts'

const at = (text: string) => ({ madeAt: new Date(`${text}Z`) })
const daysUntil = (last: string, count: number) =>
  Array.from({ length: count }, (_, ago) => ({ madeAt: new Date(Date.parse(`${last}Z`) - ago * 86_400_000) }))
const dates = (backups: { madeAt: Date }[]) => backups.map(({ madeAt }) => madeAt.toISOString().slice(0, 10))
const rules = { daily: 3, weekly: 2, monthly: 2 }
const none = { daily: 1, weekly: 0, monthly: 0 }

test('the newest backup of the last days, weeks from Monday and months is kept', () => {
  const backups = daysUntil('2026-11-25T02:10', 60)
  const removed = new Set(notKept(backups, rules, new Date('2026-11-25T03:00Z')))
  expect(dates(backups.filter((backup) => !removed.has(backup)))).toEqual([
    '2026-11-25',
    '2026-11-24',
    '2026-11-23',
    '2026-11-22',
    '2026-10-31',
  ])
})

test('of a day the newest backup is kept', () => {
  const [evening, noon] = [at('2026-11-25T22:00'), at('2026-11-25T12:00')]
  expect(notKept([noon, evening], none, new Date('2026-11-26T00:00Z'))).toEqual([noon])
})

test('time alone removes nothing, and the newest backup stays under any rules', () => {
  const backups = daysUntil('2026-11-25T02:10', 3)
  expect(notKept(backups, rules, new Date('2040-01-01T00:00Z'))).toEqual([])
  expect(dates(notKept(backups, none, new Date('2040-01-01T00:00Z')))).toEqual(['2026-11-24', '2026-11-23'])
})

test.each(['restored', 'read'] as const)('the newest backup that a trial has %s stays', (passed) => {
  const results = [undefined, 'failed', passed, passed] as const
  const backups = daysUntil('2026-11-25T02:10', 4).map((backup, ago) => {
    const result = results[ago]
    return { ...backup, trial: result && { result } }
  })
  expect(dates(notKept(backups, none, new Date('2026-11-25T03:00Z')))).toEqual(['2026-11-24', '2026-11-22'])
})

test('backups of the future stay, and take the place of no other', () => {
  const [future, past] = [at('2027-11-25T02:00'), at('2026-11-25T02:00')]
  expect(notKept([future, past], none, new Date('2026-11-25T03:00Z'))).toEqual([])
})

test('the last time is of today or of yesterday', () => {
  const last = (now: string) =>
    lastTime(['14:30', '02:00'], new Date(`${now}Z`))
      .toISOString()
      .slice(0, 16)
  expect(last('2026-11-25T14:30')).toBe('2026-11-25T14:30')
  expect(last('2026-11-25T14:29')).toBe('2026-11-25T02:00')
  expect(last('2026-01-01T01:59')).toBe('2025-12-31T14:30')
})
