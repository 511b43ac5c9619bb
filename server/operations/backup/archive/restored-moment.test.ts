import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGunzip, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { register } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeRun, makeRunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { sleep, systemClock } from '../../../base/clock.ts'
import { createLog } from '../../../base/logging.ts'
import { connect, type Database } from '../../../db/database.ts'
import { migrate } from '../../../db/migrate.ts'
import { type Postgres, startPostgres } from '../../../postgres/postgres.ts'
import { LogEnded, recoverCluster } from '../../../postgres/recover.ts'
import { runningSuperuserUrl } from '../../../postgres/running.ts'
import { DiskStorage } from '../../../storage/disk.ts'
import { backUp } from '../back-up.ts'
import { checkBackup } from '../check-backup.ts'
import { settleDatabase } from '../database/load-database.ts'
import { contentOf } from '../encryption/backup-files.ts'
import type { Manifest } from '../manifest.ts'
import { restoreFiles } from '../restore-files.ts'
import { BackupFolder } from '../schedule/backup-folder.ts'
import { ArchiveFolder } from './archive-folder.ts'
import { clusterFile } from './dump-cluster.ts'
import { keptLog } from './kept-log.ts'
import { contentOfSegments, findMoment, type Moment } from './moment.ts'
import { WalArchive } from './wal-archive.ts'

const run = promisify(execFile)
const log = createLog('test', 'silent')
const parent = mkdtempSync(join(tmpdir(), 'sandbox-test-moment-'))
const dataDir = join(parent, 'data')
const backups = join(parent, 'backups')
const identityFile = join(parent, 'identity')
const storage = new DiskStorage(join(dataDir, 'objects'))
const going = new AbortController().signal
let postgres: Postgres
let db: Database
let superuser: Database
let archive: WalArchive
let queued: string
let recipients: string[]
let cluster: string

const say = () => undefined
const metric = async (name: string) => (await register.getSingleMetric(name)?.get())?.values[0]?.value
/** Commit times differ from both sides of a moment. */
async function moment(): Promise<Date> {
  await sleep(5)
  const at = systemClock.now()
  await sleep(5)
  return at
}
const name = (text: string) => db.updateTable('tasks').set({ description: text }).execute()

async function makeBackup(startedAt = systemClock.now()): Promise<Manifest> {
  const target = new BackupFolder(backups, 'machine-1').pathOf(startedAt)
  const clusterUrl = await runningSuperuserUrl(join(dataDir, 'postgres'))
  return backUp({ db, dataDir, target, recipients, release: '1', clock: systemClock, say, clusterUrl })
}

const archiveOf = (mostBytes = 2 ** 30) =>
  new WalArchive({
    ...{ db: superuser, mostBytes, log, clock: systemClock, retryMs: 0 },
    folder: new BackupFolder(backups, 'machine-1'),
    archive: new ArchiveFolder(backups, recipients),
    walDir: join(dataDir, 'postgres/cluster/pg_wal'),
    space: { dataDir, diskFloorBytes: 0 },
  })

/** The database of the moment, on a server of its own. */
async function restored<T>(found: Moment, work: (restored: Database) => Promise<T>): Promise<T> {
  const into = mkdtempSync(join(parent, 'restored-'))
  chmodSync(into, 0o755)
  const { manifest, files } = await checkBackup(found.backup.path, say)
  expect(files.map(({ path }) => path)).toContain(`${clusterFile}.age`)
  await recoverCluster({
    dataDir: into,
    cluster: [
      ...contentOf({ source: found.backup.path, manifest, identityFile }, clusterFile),
      createGunzip(),
    ],
    segments: contentOfSegments(found, identityFile),
    until: found.until,
  })
  const server = await startPostgres({ dataDir: into })
  const there = connect(server.url, { poolSize: 2, log, name: 'test' })
  try {
    return await work(there)
  } finally {
    await there.destroy()
    await server.stop()
  }
}
const find = (until: Date) => findMoment(backups, { until, identityFile })

beforeAll(async () => {
  chmodSync(parent, 0o755)
  for (const folder of ['keys', 'objects']) mkdirSync(join(dataDir, folder), { recursive: true })
  mkdirSync(backups, { mode: 0o700 })
  await run('age-keygen', ['--output', identityFile])
  recipients = [(await run('age-keygen', ['-y', identityFile])).stdout.trim()]
  postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), settings: keptLog })
  cluster = join(dataDir, 'postgres/cluster')
  db = connect(postgres.url, { poolSize: 2, log, name: 'test' })
  await migrate(db)
  superuser = connect((await runningSuperuserUrl(join(dataDir, 'postgres'))) ?? '', {
    ...{ poolSize: 1, log, name: 'test' },
  })
  const { companyId, roomId } = await makeTenant(db)
  const task = await makeRunnableTask(db, companyId, {})
  queued = await makeRun(db, task, { chatroom_id: roomId })
  archive = archiveOf()
  writeFileSync(join(dataDir, 'keys/root.key'), 'first')
  await storage.put('runs/a/log', Buffer.from('before the backup'))
  await makeBackup()
}, 120_000)
afterAll(async () => {
  await db?.destroy()
  await superuser?.destroy()
  await postgres?.stop()
  rmSync(parent, { recursive: true, force: true })
})

test('a moment after a backup has the rows, objects and keys of before it, and its runs end', async () => {
  await name('before the moment')
  await storage.put('runs/b/log', Buffer.from('after the backup'))
  writeFileSync(join(dataDir, 'keys/root.key'), 'second')
  await archive.turn(going)
  // Retention has removed it since.
  await storage.delete('runs/b/log')
  // As a killed turn leaves it.
  mkdirSync(join(backups, 'archive/new/half'), { recursive: true })
  const until = await moment()
  await name('after the moment')
  await archive.turn(going)
  expect(existsSync(join(backups, 'archive/new/half'))).toBe(false)
  expect(await metric('sandbox_wal_archive_failing')).toBe(0)
  expect(await metric('sandbox_wal_archived_until_timestamp_seconds')).toBeGreaterThan(until.getTime() / 1000)
  const inArchive = await run('grep', ['-rlE', 'the moment|the backup|second', backups]).catch(() => ({
    stdout: '',
  }))
  expect(inArchive.stdout).toBe('')

  const found = await find(until)
  await restored(found, async (there) => {
    expect(await settleDatabase(there)).toMatchObject({ endedRuns: 1 })
    const [task] = await there.selectFrom('tasks').select('description').execute()
    expect(task?.description).toBe('before the moment')
    const ended = await there
      .selectFrom('runs')
      .select(['state', 'error_code'])
      .where('id', '=', queued)
      .execute()
    expect(ended).toEqual([{ state: 'platform_failed', error_code: 'restored_from_backup' }])
  })
  const target = join(parent, 'files')
  for (const folder of ['keys', 'objects']) mkdirSync(join(target, folder), { recursive: true })
  await restoreFiles(found.files, target, undefined)
  expect(readFileSync(join(target, 'objects/objects/runs/b/log'), 'utf8')).toBe('after the backup')
  expect(readFileSync(join(target, 'keys/root.key'), 'utf8')).toBe('second')
}, 120_000)

test('a moment before the first backup, after the log, or without an identity is refused', async () => {
  await expect(find(new Date('2020-01-01'))).rejects.toThrow(/the earliest moment that .* has is 20/)
  await expect(findMoment(parent, { until: systemClock.now(), identityFile })).rejects.toThrow(
    'no backup from which a moment can be restored',
  )
  await expect(findMoment(backups, { until: systemClock.now(), identityFile: undefined })).rejects.toThrow(
    'the archive is encrypted',
  )
  const later = await find(new Date(systemClock.now().getTime() + 60_000))
  await expect(restored(later, async () => undefined)).rejects.toThrow(LogEnded)
  const [first, ...others] = later.segments
  if (!first) throw new Error('no segment')
  const cutOff = join(parent, 'cut-off.gz')
  writeFileSync(cutOff, gzipSync(Buffer.alloc(1000)).subarray(0, 20))
  const damaged = { ...later, segments: [{ ...first, file: cutOff, isEncrypted: false }, ...others] }
  await expect(restored(damaged, async () => undefined)).rejects.toThrow(`segment ${first.name} is damaged`)
}, 60_000)

test('a segment that was removed before it was archived is named, and another backup is needed', async () => {
  const names = async () => (await new ArchiveFolder(backups).listSegments()).map((segment) => segment.name)
  const last = (await names()).at(-1) ?? ''
  await sql`select pg_switch_wal()`.execute(superuser)
  await name('in the next segment')
  const until = await moment()
  await sql`select pg_switch_wal()`.execute(superuser)
  await name('in the one after it')
  const [, second = ''] = (
    await sql<{ name: string }>`
    select name from pg_ls_waldir() where name >= ${last} and length(name) = 24 order by name`.execute(
      superuser,
    )
  ).rows.map((row) => row.name)
  await run('mv', [join(cluster, 'pg_wal', second), parent])
  await archive.turn(going)
  expect(await metric('sandbox_wal_archive_failing')).toBe(1)
  expect(await names()).not.toContain(second)
  const found = await find(until)
  expect(found.missing).toBe(second)
  await expect(restored(found, async () => undefined)).rejects.toThrow(LogEnded)
  const [newest] = await new BackupFolder(backups, 'machine-1').list()
  if (!newest) throw new Error('no backup')
  expect(archive.needsBackup({ ...newest, madeAt: new Date(0) })).toBe(true)
  expect(archive.needsBackup(newest)).toBe(false)
}, 60_000)

test('the bound of the archive removes the log of old backups, and never lets it grow beyond', async () => {
  const { walSegment = '' } = await makeBackup(new Date(systemClock.now().getTime() + 2_000))
  await archiveOf(1).turn(going)
  expect(await metric('sandbox_wal_archive_failing')).toBe(1)
  const left = await new ArchiveFolder(backups).listSegments()
  expect(left.every((segment) => segment.name >= walSegment)).toBe(true)
  await archive.turn(going)
  expect(await metric('sandbox_wal_archive_failing')).toBe(0)
  expect(await metric('sandbox_wal_archive_bytes')).toBeGreaterThan(0)
}, 60_000)
