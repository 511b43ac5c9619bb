import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { register } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { createLog } from '../../../base/logging.ts'
import { connect, type Database } from '../../../db/database.ts'
import { type Postgres, startPostgres } from '../../../postgres/postgres.ts'
import { runningSuperuserUrl } from '../../../postgres/running.ts'
import { BackupFolder } from '../schedule/backup-folder.ts'
import { ArchiveFolder } from './archive-folder.ts'
import { keptLog } from './kept-log.ts'
import { WalArchive } from './wal-archive.ts'

const log = createLog('test', 'silent')
const parent = mkdtempSync(join(tmpdir(), 'sandbox-test-wal-'))
const walDir = join(parent, 'postgres/cluster/pg_wal')
const going = new AbortController().signal
let postgres: Postgres
let db: Database
let dataDir: string
let backups: string
let archive: ArchiveFolder

const metric = async (name: string) => (await register.getSingleMetric(name)?.get())?.values[0]?.value
const folder = () => new BackupFolder(backups, 'machine-1')
const archiveOf = (mostBytes = 2 ** 30) =>
  new WalArchive({
    ...{ db, archive, walDir, mostBytes, clock: systemClock, log, retryMs: 0 },
    folder: folder(),
    space: { dataDir, diskFloorBytes: 0 },
  })

/** Returns whether it failed. */
async function turn(of = archiveOf()): Promise<boolean> {
  await of.turn(going)
  return (await metric('sandbox_wal_archive_failing')) === 1
}

beforeAll(async () => {
  chmodSync(parent, 0o755)
  postgres = await startPostgres({ dataDir: join(parent, 'postgres'), settings: keptLog })
  db = connect((await runningSuperuserUrl(join(parent, 'postgres'))) ?? '', {
    ...{ poolSize: 1, log, name: 'test' },
  })
}, 120_000)
afterAll(async () => {
  await db?.destroy()
  await postgres?.stop()
  rmSync(parent, { recursive: true, force: true })
})

beforeEach(() => {
  dataDir = mkdtempSync(join(parent, 'data-'))
  backups = mkdtempSync(join(parent, 'backups-'))
  archive = new ArchiveFolder(backups)
  for (const name of ['keys', 'objects/objects']) mkdirSync(join(dataDir, name), { recursive: true })
})

test('nothing is removed through a link in a folder that others can change', async () => {
  const elsewhere = mkdtempSync(join(parent, 'elsewhere-'))
  mkdirSync(join(elsewhere, 'new/kept'), { recursive: true })
  symlinkSync(elsewhere, join(backups, 'archive'))
  chmodSync(backups, 0o777)
  expect(await turn()).toBe(true)
  expect(existsSync(join(elsewhere, 'new/kept'))).toBe(true)
})
