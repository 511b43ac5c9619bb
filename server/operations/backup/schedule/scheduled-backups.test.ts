import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { register } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../base/logging.ts'
import { completeBackup, type Manifest, startBackup } from '../manifest.ts'
import { BackupFolder } from './backup-folder.ts'
import { ScheduledBackups, type ScheduleOptions } from './scheduled-backups.ts'

const run = promisify(execFile)
const log = createLog('test', 'silent')
const going = new AbortController().signal
let folder: string
let now: Date
let make: ScheduleOptions['make']

const manifestNow = (): Manifest => ({
  ...{ format: 1, release: '1', migrations: [], tables: [], sequences: {}, filesSha256: '', files: 0 },
  bytes: 1000,
  madeAt: now.toISOString(),
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-schedule-'))
  now = new Date('2026-11-25T03:00:00Z')
  make = async (target) => {
    await startBackup(target)
    writeFileSync(join(target, 'row'), 'x')
    await completeBackup(target, manifestNow())
    return manifestNow()
  }
})
let isMounted = false
afterEach(async () => {
  if (isMounted) await run('umount', [folder])
  isMounted = false
  rmSync(folder, { recursive: true })
})

const scheduled = (more: Partial<ScheduleOptions> = {}) =>
  new ScheduledBackups({
    folder: new BackupFolder(folder, 'machine-1'),
    times: ['02:00'],
    keep: { daily: 2, weekly: 0, monthly: 0 },
    space: { dataDir: folder, diskFloorBytes: 0 },
    make: (target, signal) => make(target, signal),
    clock: { now: () => now },
    log,
    retryMs: 0,
    ...more,
  })
const names = () =>
  readdirSync(folder)
    .filter((name) => name !== 'machine-id')
    .toSorted()
const metric = async (name: string) => (await register.getSingleMetric(name)?.get())?.values[0]?.value

test('a backup is made once for each time, also for one at which nothing ran, and old ones are removed', async () => {
  const backups = scheduled()
  const turnAt = async (time: string) => {
    now = new Date(`2026-${time}:00Z`)
    await backups.turn(going)
  }
  for (const time of ['11-25T03:00', '11-25T20:00', '11-26T01:59']) await turnAt(time)
  expect(names()).toEqual(['2026-11-25T030000Z'])
  mkdirSync(join(folder, 'my-own'))
  for (const time of ['11-26T02:00', '11-29T05:00']) await turnAt(time)
  expect(names()).toEqual(['2026-11-26T020000Z', '2026-11-29T050000Z', 'my-own'])
  expect(await metric('sandbox_last_backup_timestamp_seconds')).toBe(
    Date.parse('2026-11-29T05:00:00Z') / 1000,
  )
})

test('an interrupted backup is removed and no backup, and so is one whose removal was interrupted', async () => {
  const backups = scheduled()
  await startBackup(join(folder, '2026-11-25T020000Z'))
  await backups.turn(going)
  expect(names()).toEqual([])
  expect(await metric('sandbox_backup_failing')).toBe(1)
  await backups.turn(going)
  rmSync(join(folder, '2026-11-25T030000Z/manifest.json'))
  await backups.turn(going)
  await backups.turn(going)
  expect(names()).toEqual(['2026-11-25T030000Z'])
  expect(await metric('sandbox_backup_failing')).toBe(0)
})

test('a failed backup leaves nothing, keeps all others, and is tried again after a pause', async () => {
  await scheduled().turn(going)
  now = new Date('2026-11-26T03:00:00Z')
  let tries = 0
  make = async (target) => {
    await startBackup(target)
    tries += 1
    throw new Error('no space')
  }
  const backups = scheduled({ retryMs: 60_000, keep: { daily: 1, weekly: 0, monthly: 0 } })
  await backups.turn(going)
  await backups.turn(going)
  expect([tries, names()]).toEqual([1, ['2026-11-25T030000Z']])
  expect(await metric('sandbox_backup_failing')).toBe(1)
})

test('a backup does not start without the space of the last one, and ends at the floor of the disk', async () => {
  await run('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=700', 'tmpfs', folder])
  isMounted = true
  const floorOf = (mib: number) => ({ space: { dataDir: folder, diskFloorBytes: mib * 2 ** 20 } })
  await scheduled().turn(going)
  now = new Date('2026-11-26T03:00:00Z')
  const reasons: unknown[] = []
  make = async (target, signal) => {
    await startBackup(target)
    writeFileSync(join(target, 'rows'), Buffer.alloc(28 * 2 ** 20))
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    reasons.push(signal.reason)
    throw signal.reason
  }
  await scheduled(floorOf(32)).turn(going)
  expect(reasons).toEqual([])
  await scheduled(floorOf(8)).turn(going)
  expect(reasons).toEqual([
    expect.objectContaining({ message: expect.stringContaining('reached the floor') }),
  ])
  expect(names()).toEqual(['2026-11-25T030000Z'])
})

test('a clock that was set back makes a backup at once, and removes none of the future', async () => {
  now = new Date('2026-12-24T03:00:00Z')
  await scheduled().turn(going)
  now = new Date('2026-11-25T01:00:00Z')
  const backups = scheduled()
  await backups.turn(going)
  await backups.turn(going)
  expect(names()).toEqual(['2026-11-25T010000Z', '2026-12-24T030000Z'])
})

test('a service that stops ends its backup, which is no failure', async () => {
  await scheduled().turn(going)
  now = new Date('2026-11-26T03:00:00Z')
  const stopping = new AbortController()
  make = async (target, signal) => {
    await startBackup(target)
    stopping.abort()
    signal.throwIfAborted()
    throw new Error('not aborted')
  }
  await scheduled().turn(stopping.signal)
  expect(names()).toEqual(['2026-11-25T030000Z'])
  expect(await metric('sandbox_backup_failing')).toBe(0)
})

test('the folder of another service is not touched', async () => {
  await scheduled().turn(going)
  now = new Date('2026-11-26T03:00:00Z')
  const other = new BackupFolder(folder, 'machine-2')
  await scheduled({ folder: other }).turn(going)
  expect(names()).toEqual(['2026-11-25T030000Z'])
  await expect(other.check()).rejects.toThrow(`remove ${folder}/machine-id and ${folder}/archive,`)
  expect(await metric('sandbox_backup_failing')).toBe(1)
})
