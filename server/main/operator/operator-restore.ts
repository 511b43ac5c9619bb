import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Config, ConfigInvalid, readConfig } from '../../base/config/config.ts'
import { hasCode } from '../../base/errors/has-code.ts'
import { createLog } from '../../base/logging.ts'
import { connect, type Database, isDatabaseUnavailable } from '../../db/database.ts'
import { recordAuditEntry } from '../../operations/audit/audit-log.ts'
import { BackupProblem } from '../../operations/backup/backup-problem.ts'
import { type CheckedBackup, checkBackup } from '../../operations/backup/check-backup.ts'
import { type Loaded, loadDatabase } from '../../operations/backup/database/load-database.ts'
import { isEmptyDatabase } from '../../operations/backup/database/load-store.ts'
import { restoreFiles } from '../../operations/backup/restore-files.ts'
import { startPostgres } from '../../postgres/postgres.ts'
import { PostgresProblem } from '../../postgres/problem.ts'
import { accountsOrCaller } from '../all.ts'
import { openDataFolder, prepareDataFolder, shareRestored } from '../supervisor/host/data-folder.ts'
import { lockInstance } from '../supervisor/host/instance-lock.ts'
import { clearRestoreMark, markRestore } from '../supervisor/host/restore-mark.ts'
import { ServiceProblem } from '../supervisor/service-problem.ts'

export interface Restored extends Loaded {
  dataDir: string
  /** When the backup was made. */
  madeAt: string
  files: number
}

export type RestoreOutcome =
  | { ok: true; value: Restored }
  | { ok: false; cause: 'settings' | 'backup'; problems: string[] }

/**
 * Creates a service from a backup: in a new data folder, and in the embedded database or an empty one of
 * `DATABASE_URL`. Nothing is written before the whole backup has been read and verified. An interrupted restore
 * leaves a folder on which no service starts.
 */
export async function restoreBackup(folder: string, say: (text: string) => void): Promise<RestoreOutcome> {
  try {
    const config = readConfig()
    return { ok: true, value: await restore(config, resolve(folder), say) }
  } catch (error) {
    if (error instanceof ConfigInvalid) return { ok: false, cause: 'settings', problems: error.problems }
    if (error instanceof BackupProblem) return { ok: false, cause: 'backup', problems: error.problems }
    if (error instanceof ServiceProblem || error instanceof PostgresProblem || isDatabaseUnavailable(error)) {
      return {
        ok: false,
        cause: 'backup',
        problems: [error instanceof Error ? error.message : String(error)],
      }
    }
    throw error
  }
}

async function restore(config: Config, source: string, say: (text: string) => void): Promise<Restored> {
  const accounts = accountsOrCaller(config)
  await checkEmptyFolder(config.dataDir)
  if (config.databaseUrl) await onDatabase(config.databaseUrl, checkEmptyDatabase)
  const backup = await checkBackup(source, say)
  const lock = await lockInstance(openDataFolder(config.dataDir, accounts).lock, 'a restore')
  try {
    markRestore(config.dataDir)
    const folder = prepareDataFolder(config.dataDir, accounts)
    say('keys and objects')
    await restoreFiles(source, config.dataDir, backup.files, accounts?.shared)
    shareRestored(config.dataDir, accounts)
    say('database')
    const loaded = await load(config, folder.postgres, source, backup)
    await promisify(execFile)('sync', ['--file-system', config.dataDir])
    clearRestoreMark(config.dataDir)
    const { madeAt } = backup.manifest
    return { ...loaded, dataDir: config.dataDir, madeAt, files: backup.files.length }
  } finally {
    await lock.release()
  }
}

async function load(
  config: Config,
  postgresDir: string,
  source: string,
  { manifest }: CheckedBackup,
): Promise<Loaded> {
  const fill = async (db: Database) => {
    const loaded = await loadDatabase(db, source, manifest)
    await recordAuditEntry(db, { act: 'restore', subject: manifest.madeAt })
    return loaded
  }
  if (config.databaseUrl) return onDatabase(config.databaseUrl, fill)
  const postgres = await startPostgres({ dataDir: postgresDir, user: config.postgresUser })
  try {
    return await onDatabase(postgres.url, fill)
  } finally {
    await postgres.stop()
  }
}

async function onDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = connect(url, { poolSize: 2, log: createLog('restore', 'warn'), name: 'restore' })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

async function checkEmptyFolder(path: string): Promise<void> {
  const found = await readdir(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  if (found.length === 0) return
  throw new BackupProblem(
    `${path} is not empty: name a new data folder with SANDBOX_DATA, or move this one away`,
  )
}

async function checkEmptyDatabase(db: Database): Promise<void> {
  if (await isEmptyDatabase(db)) return
  throw new BackupProblem('the database of DATABASE_URL is not empty: name a new one')
}
