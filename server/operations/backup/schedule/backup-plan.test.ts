import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { completeBackup, startBackup } from '../manifest.ts'
import { planBackups } from './backup-plan.ts'
import { findBackups } from './found-backups.ts'
import { notKept } from './retention.ts'

const keep = { daily: 2, weekly: 0, monthly: 0 }
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-plan-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function make(date: string): Promise<void> {
  const path = join(folder, `${date}T020000Z`)
  await startBackup(path)
  await completeBackup(path, {
    ...{ format: 1, release: '1', migrations: [], tables: [], sequences: {}, filesSha256: '' },
    ...{ files: 0, bytes: 0, madeAt: `${date}T02:00:00Z` },
  })
}
const planAt = async (time: string, times = ['02:00', '14:00']) => {
  const { nextAt, backups } = planBackups(await findBackups(folder), { times, keep, now: new Date(time) })
  return {
    nextAt: nextAt.toISOString(),
    backups: backups.map(({ backup, keptAs, isRemovedNext }) => [
      basename(backup.path).slice(0, 10),
      backup.state,
      keptAs.join(' '),
      isRemovedNext,
    ]),
  }
}

test('the plan has the states of all backups, why each is kept, and those that the next one replaces', async () => {
  for (const date of ['2026-11-24', '2026-11-25']) await make(date)
  await startBackup(join(folder, '2026-11-26T020000Z'))
  mkdirSync(join(folder, '2026-11-23T020000Z'))
  writeFileSync(join(folder, '2026-11-23T020000Z/manifest.json'), '{')
  mkdirSync(join(folder, 'my-own'))
  writeFileSync(join(folder, '2026-11-22T020000Z'), 'a file')
  const expected = [
    ['2026-11-26', 'incomplete', '', false],
    ['2026-11-25', 'complete', 'newest daily', false],
    ['2026-11-24', 'complete', 'daily', false],
    ['2026-11-23', 'damaged', '', false],
  ]
  expect(await planAt('2026-11-25T03:00Z')).toEqual({
    nextAt: '2026-11-25T14:00:00.000Z',
    // The next one is of the same day, and replaces the one of the morning.
    backups: expected.with(1, ['2026-11-25', 'complete', 'newest daily', true]),
  })
  expect(await planAt('2026-11-25T03:00Z', ['02:00'])).toEqual({
    nextAt: '2026-11-26T02:00:00.000Z',
    backups: expected.with(2, ['2026-11-24', 'complete', 'daily', true]),
  })
})

test('a backup is due now if none was made since the last time, or the newest ones are of the future', async () => {
  expect((await planAt('2026-11-25T03:00Z')).nextAt).toBe('2026-11-25T03:00:00.000Z')
  await make('2026-12-24')
  expect(await planAt('2026-11-25T03:00Z')).toEqual({
    nextAt: '2026-11-25T03:00:00.000Z',
    backups: [['2026-12-24', 'complete', 'future', false]],
  })
})

test('the next backup removes what the plan says', async () => {
  for (const date of ['2026-11-23', '2026-11-24', '2026-11-25']) await make(date)
  const now = new Date('2026-11-25T03:00Z')
  const found = await findBackups(folder)
  const { nextAt, backups } = planBackups(found, { times: ['02:00'], keep, now })
  await make(nextAt.toISOString().slice(0, 10))
  const complete = (await findBackups(folder)).filter(({ state }) => state === 'complete')
  const removed = notKept(complete as Extract<(typeof complete)[number], { madeAt: Date }>[], keep, nextAt)
  const planned = backups.filter(({ isRemovedNext }) => isRemovedNext).map(({ backup }) => backup.path)
  expect(planned.toSorted()).toEqual(removed.map(({ path }) => path).toSorted())
  expect(planned).toHaveLength(2)
})
