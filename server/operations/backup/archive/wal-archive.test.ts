import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { register } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../base/logging.ts'
import { connect, type Database } from '../../../db/database.ts'
import { type Postgres, startPostgres } from '../../../postgres/postgres.ts'
import { runningSuperuserUrl } from '../../../postgres/running.ts'
import { completeBackup, startBackup } from '../manifest.ts'
import { BackupFolder } from '../schedule/backup-folder.ts'
import { ArchiveFolder } from './archive-folder.ts'
import { readUntil } from './archived-until.ts'
import { keptLog } from './kept-log.ts'
import { findMoment } from './moment.ts'
import { WalArchive } from './wal-archive.ts'
import { markLog } from './wal-store.ts'

const log = createLog('test', 'silent')
const parent = mkdtempSync(join(tmpdir(), 'sandbox-test-wal-'))
const walDir = join(parent, 'postgres/cluster/pg_wal')
const going = new AbortController().signal
let postgres: Postgres
let db: Database
let dataDir: string
let backups: string
let archive: ArchiveFolder
let aheadMs: number

const clock = { now: () => new Date(Date.now() + aheadMs) }

const metric = async (name: string) => (await register.getSingleMetric(name)?.get())?.values[0]?.value
const folder = () => new BackupFolder(backups, 'machine-1')
const segments = async () => (await archive.listSegments()).map(({ name }) => name)

const archiveOf = (mostBytes = 2 ** 30) =>
  new WalArchive({
    ...{ db, archive, walDir, mostBytes, clock, log, retryMs: 0 },
    folder: folder(),
    space: { dataDir, diskFloorBytes: 0 },
  })

/** The next turn of the schedule. Returns whether it failed. */
async function turn(of = archiveOf()): Promise<boolean> {
  aheadMs += 1000
  await of.turn(going)
  return (await metric('sandbox_wal_archive_failing')) === 1
}

/** The record of a backup that starts and is complete now. Returns the segment from which it needs the log. */
async function makeBackup(at = clock.now()): Promise<string> {
  const target = folder().pathOf(at)
  await startBackup(target)
  const { segment: walSegment } = await markLog(db)
  await completeBackup(target, {
    ...{ format: 1, release: '1', migrations: [], tables: [], sequences: {}, filesSha256: '', files: 0 },
    ...{ bytes: 0, madeAt: at.toISOString(), walSegment },
  })
  return walSegment
}

/** Ends the current segment. It has more than a MiB that cannot be compressed. */
async function endSegment(): Promise<void> {
  await sql`select pg_logical_emit_message(false, 'test', ${randomBytes(2 ** 20).toString('base64')})`.execute(
    db,
  )
  await sql`select pg_switch_wal()`.execute(db)
}

const putObject = (name: string, bytes: number) =>
  writeFileSync(join(dataDir, 'objects/objects', name), randomBytes(bytes))

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
  aheadMs = 0
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

test('a segment of which the archive has a part alone is missing once later ones are there', async () => {
  const first = await makeBackup()
  expect(await turn()).toBe(false)
  const until = await readUntil(archive)
  expect(until?.getTime()).toBeGreaterThan(clock.now().getTime() - 60_000)
  await endSegment()
  await endSegment()
  renameSync(join(walDir, first), join(parent, first))
  const broken = archiveOf()
  expect(await turn(broken)).toBe(true)
  expect(await segments()).toHaveLength(3)
  expect(await readUntil(archive)).toEqual(until)
  const found = await findMoment(backups, { until: clock.now(), identityFile: undefined })
  expect(found.missing).toBe(first)
  expect(found.segments).toMatchObject([{ name: first, isPartial: true }])
  const [newest] = await folder().list()
  expect(newest && broken.needsBackup({ ...newest, madeAt: new Date(0) })).toBe(true)
})

test('a backup that was made while the clock was ahead removes nothing', async () => {
  await makeBackup()
  expect(await turn()).toBe(false)
  putObject('a', 1)
  expect(await turn()).toBe(false)
  const kept = [await segments(), await archive.listFiles()]
  await makeBackup(new Date(clock.now().getTime() + 86_400_000))
  expect(await turn(archiveOf(1))).toBe(true)
  expect([await segments(), await archive.listFiles()]).toEqual(kept)
  expect(kept[1]).toHaveLength(1)
})

const mib = 2 ** 20

test('the log of the oldest backup makes room in the turn that needs it', async () => {
  await makeBackup()
  await turn()
  await endSegment()
  const second = await makeBackup()
  await turn()
  putObject('a', 3 * mib)
  expect(await turn(archiveOf((await archive.byteSize()) + 2.5 * mib))).toBe(false)
  expect(await segments()).toEqual([second])
  expect(await archive.listFiles()).toHaveLength(1)
  // The backup without its log is not taken for the start again.
  expect(await turn()).toBe(false)
  expect(await segments()).toEqual([second])
})

test('an archive that has reached its bound goes on after the next backup, which has what it lacks', async () => {
  await makeBackup()
  await turn()
  const mostBytes = (await archive.byteSize()) + mib
  putObject('a', 2 * mib)
  expect(await turn(archiveOf(mostBytes))).toBe(true)
  expect(await turn(archiveOf(mostBytes))).toBe(true)
  aheadMs += 60_000
  await endSegment()
  await makeBackup()
  // The first one may find that there is no room for both backups.
  await turn(archiveOf(mostBytes))
  expect(await turn(archiveOf(mostBytes))).toBe(false)
  expect(await archive.listFiles()).toEqual([])
})

test('the part of a segment takes the room of the one before', async () => {
  await makeBackup()
  await turn()
  expect(await turn(archiveOf((await archive.byteSize()) * 1.5))).toBe(false)
})
