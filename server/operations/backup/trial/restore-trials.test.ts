import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { register } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../base/logging.ts'
import { PostgresProblem } from '../../../postgres/problem.ts'
import { BackupProblem } from '../backup-problem.ts'
import { EncryptionProblem } from '../encryption/age.ts'
import { completeBackup, startBackup } from '../manifest.ts'
import { BackupFolder } from '../schedule/backup-folder.ts'
import { RestoreTrials, type TrialOptions } from './restore-trials.ts'

const log = createLog('test', 'silent')
const going = new AbortController().signal
let folder: string
let now: Date
/** Names of the backups that were tried. */
let tried: string[]
let fault: Error | undefined
let rows: number | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-trials-'))
  tried = []
  fault = undefined
  rows = 1
})
afterEach(() => rmSync(folder, { recursive: true }))

const trials = (more: Partial<TrialOptions> = {}) =>
  new RestoreTrials({
    folder: new BackupFolder(folder, 'machine'),
    days: 7,
    space: { dataDir: folder, diskFloorBytes: 0 },
    tryOne: async (backup) => {
      tried.push(backup.slice(folder.length + 1, folder.length + 11))
      if (fault) throw fault
      return { rows, files: 1 }
    },
    clock: { now: () => now },
    log,
    wasInterrupted: false,
    retryMs: 0,
    ...more,
  })

/** A backup of that day, and a turn an hour later. */
async function day(date: string, turn: RestoreTrials): Promise<void> {
  const path = join(folder, `${date}T020000Z`)
  await startBackup(path)
  await completeBackup(path, {
    ...{ format: 1, release: '1', migrations: [], tables: [], sequences: {}, filesSha256: '' },
    ...{ files: 0, bytes: 0, madeAt: `${date}T02:00:00Z` },
  })
  now = new Date(`${date}T03:00:00Z`)
  await turn.turn(going)
}
const failing = async () =>
  (await register.getSingleMetric('sandbox_backup_trial_failing')?.get())?.values[0]?.value

test('the newest backup is tried when the last successful trial is too old, also after a restart', async () => {
  await day('2026-11-01', trials())
  await day('2026-11-07', trials())
  await day('2026-11-08', trials())
  await trials().turn(going)
  expect(tried).toEqual(['2026-11-01', '2026-11-08'])
  await day('2026-12-31', trials({ days: 0 }))
  expect(tried).toHaveLength(2)
})

test('a damaged backup is tried once, and the next one as soon as it is there', async () => {
  fault = new BackupProblem('damaged')
  await day('2026-11-01', trials())
  await trials().turn(going)
  expect([tried, await failing()]).toEqual([['2026-11-01'], 1])
  fault = undefined
  await day('2026-11-02', trials())
  expect([tried, await failing()]).toEqual([['2026-11-01', '2026-11-02'], 0])
})

test('an encrypted backup that was read alone passes, and is no restore', async () => {
  rows = undefined
  register.resetMetrics()
  for (const date of ['2026-11-01', '2026-11-02']) await day(date, trials())
  expect([tried, await failing()]).toEqual([['2026-11-01'], 0])
  const record = JSON.parse(readFileSync(join(folder, '2026-11-01T020000Z/trial.json'), 'utf8'))
  expect(record).toEqual({ triedAt: '2026-11-01T03:00:00.000Z', result: 'read' })
  const last = await register.getSingleMetric('sandbox_last_backup_trial_timestamp_seconds')?.get()
  expect(last?.values).toEqual([])
})

test('a trial that the machine cannot make is made later', async () => {
  const withoutSpace = { dataDir: folder, diskFloorBytes: 2 ** 60 }
  await day('2026-11-01', trials({ space: withoutSpace }))
  expect([tried, await failing()]).toEqual([[], 1])
  fault = new PostgresProblem('start_failed', 'no memory')
  await trials({ wasInterrupted: true, retryMs: 60_000 }).turn(going)
  expect([tried, await failing()]).toEqual([[], 1])
  const turn = trials()
  await turn.turn(going)
  fault = new EncryptionProblem('age is missing')
  await turn.turn(going)
  fault = undefined
  await turn.turn(going)
  expect([tried, await failing()]).toEqual([['2026-11-01', '2026-11-01', '2026-11-01'], 0])
})
