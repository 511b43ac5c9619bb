import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { register } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../base/logging.ts'
import { completeBackup, startBackup } from '../manifest.ts'
import { BackupFolder } from '../schedule/backup-folder.ts'
import { RemoteProblem } from './rclone.ts'
import { type CopyOptions, RemoteCopies } from './remote-copies.ts'

const log = createLog('test', 'silent')
const going = new AbortController().signal
let folder: string
let now: Date
/** Calls of the bucket, in order. */
let done: string[]
let fault: Error | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-copies-'))
  done = []
  fault = undefined
  register.resetMetrics()
})
afterEach(() => rmSync(folder, { recursive: true }))

const copies = (more: Partial<CopyOptions> = {}) =>
  new RemoteCopies({
    folder: new BackupFolder(folder, 'machine'),
    remote: {
      check: async (machine) => void done.push(`check ${machine}`),
      copy: async (_source, name) => {
        if (fault) throw fault
        done.push(`copy ${name.slice(0, 10)}`)
      },
      retain: async () => {
        done.push('retain')
        return []
      },
    },
    remotePath: 'store:backups',
    machine: 'machine',
    keep: { daily: 1, weekly: 0, monthly: 0 },
    clock: { now: () => now },
    log,
    retryMs: 0,
    ...more,
  })

async function make(date: string): Promise<void> {
  const path = join(folder, `${date}T020000Z`)
  await startBackup(path)
  await completeBackup(path, {
    ...{ format: 1, release: '1', migrations: [], tables: [], sequences: {}, filesSha256: '' },
    ...{ files: 0, bytes: 0, madeAt: `${date}T02:00:00Z` },
  })
  now = new Date(`${date}T03:00:00Z`)
}
const metric = async (name: string) => (await register.getSingleMetric(name)?.get())?.values[0]?.value

test('the newest backup is copied once, also after a restart, and then the rules count in the bucket', async () => {
  const turns = copies()
  await turns.turn(going)
  await make('2026-11-24')
  await make('2026-11-25')
  await turns.turn(going)
  await turns.turn(going)
  await copies().turn(going)
  expect(done).toEqual(['check machine', 'copy 2026-11-25', 'retain'])
  await copies({ remotePath: 'store:others' }).turn(going)
  expect(done.slice(3)).toEqual(['check machine', 'copy 2026-11-25', 'retain'])
  expect(await metric('sandbox_last_backup_copy_timestamp_seconds')).toBe(
    Date.parse('2026-11-25T02:00:00Z') / 1000,
  )
})

test('a failed copy is tried again after a pause, and is no copy', async () => {
  await make('2026-11-25')
  fault = new RemoteProblem('no bucket')
  const turns = copies({ retryMs: 60_000 })
  await turns.turn(going)
  fault = undefined
  await turns.turn(going)
  expect([done, await metric('sandbox_backup_copy_failing')]).toEqual([['check machine'], 1])
  expect(existsSync(join(folder, '2026-11-25T020000Z/copy.json'))).toBe(false)
  await copies().turn(going)
  expect([done.includes('copy 2026-11-25'), await metric('sandbox_backup_copy_failing')]).toEqual([true, 0])
})

test('a clock that was set back copies the newest backup of the past', async () => {
  await make('2026-12-24')
  await make('2026-11-25')
  await copies().turn(going)
  expect(done).toContain('copy 2026-11-25')
})
