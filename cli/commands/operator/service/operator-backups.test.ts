import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { machineCommand } from '../../../testing/run-cli.ts'

const folder = mkdtempSync('/var/lib/sandbox-test-backups-')
afterAll(() => rmSync(folder, { recursive: true }))

const list = (settings: Record<string, string>, ...options: string[]) =>
  spawnSync(machineCommand, ['operator', 'backups', ...options], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SANDBOX_DATA: '/nonexistent/sandbox-jobs', ...settings },
    encoding: 'utf8',
  })

test('sandbox operator backups lists the folder of backups without a service', () => {
  const path = join(folder, '2026-11-25T020000Z')
  mkdirSync(path)
  const manifest = { format: 1, release: '1.2.3', madeAt: '2026-11-25T02:00:01Z', files: 3, bytes: 2048 }
  writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifest))
  const trial = { triedAt: '2026-11-25T03:00:00Z', result: 'restored' }
  writeFileSync(join(path, 'trial.json'), JSON.stringify(trial))
  const settings = { SANDBOX_BACKUP_FOLDER: folder }
  const { stdout, status } = list(settings)
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(
      /2026-11-25T020000Z {2}complete {2}2026-11-25T02:00:01.000Z {2}2.0 KiB {2}restored .*newest, tried, daily/,
    ),
  ])
  expect(JSON.parse(list(settings, '--json').stdout)).toMatchObject({
    folder,
    items: [
      {
        ...{ path, state: 'complete', release: '1.2.3', byte_size: 2048, files: 3, removed_next: false },
        trial: { tried_at: trial.triedAt, result: 'restored' },
      },
    ],
  })
})

test('sandbox operator backups refuses without a folder, and with one that others can change', () => {
  const none = list({})
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('SANDBOX_BACKUP_FOLDER is not set')])
  const absent = list({ SANDBOX_BACKUP_FOLDER: '/nonexistent/backups' })
  expect([absent.status, absent.stderr]).toEqual([2, expect.stringContaining('does not exist')])
})
