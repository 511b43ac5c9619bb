import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { type Config, ConfigInvalid, readConfig } from '../../../base/config/config.ts'
import { hasCode } from '../../../base/errors/has-code.ts'
import { createLog } from '../../../base/logging.ts'
import { connect, type Database, isDatabaseUnavailable } from '../../../db/database.ts'
import { recordAuditEntry } from '../../../operations/audit/audit-log.ts'
import { clusterFile } from '../../../operations/backup/archive/dump-cluster.ts'
import { contentOfSegments, findMoment, type Moment } from '../../../operations/backup/archive/moment.ts'
import { BackupProblem } from '../../../operations/backup/backup-problem.ts'
import { type CheckedBackup, checkBackup } from '../../../operations/backup/check-backup.ts'
import {
  type Loaded,
  loadDatabase,
  type Settled,
  settleDatabase,
} from '../../../operations/backup/database/load-database.ts'
import { isEmptyDatabase } from '../../../operations/backup/database/load-store.ts'
import {
  type BackupSource,
  contentOf,
  isEncrypted,
} from '../../../operations/backup/encryption/backup-files.ts'
import { checkIdentity } from '../../../operations/backup/encryption/check-identity.ts'
import { filesOf, restoreFiles } from '../../../operations/backup/restore-files.ts'
import { startPostgres } from '../../../postgres/postgres.ts'
import { PostgresProblem } from '../../../postgres/problem.ts'
import { LogEnded, recoverCluster } from '../../../postgres/recover.ts'
import { accountsOrCaller } from '../../all.ts'
import { openDataFolder, prepareDataFolder, shareRestored } from '../../supervisor/host/data-folder.ts'
import { lockInstance } from '../../supervisor/host/instance-lock.ts'
import { clearRestoreMark, markRestore } from '../../supervisor/host/restore-mark.ts'
import { ServiceProblem } from '../../supervisor/service-problem.ts'

export interface Restored extends Settled {
  dataDir: string
  /** When the backup was made. */
  madeAt: string
  /** The moment that the service was brought to; undefined: that of the backup. */
  until: Date | undefined
  /** Undefined: the database was recovered as a whole. */
  rows: number | undefined
  files: number
  /** Where the objects are, which the backup does not have; undefined: in the data folder. */
  objectsIn: string | undefined
}

export interface RestorePlan {
  /** Folder of a backup; with `until` that of scheduled backups and their archive. */
  folder: string
  identityFile: string | undefined
  until: Date | undefined
}

export type RestoreOutcome =
  | { ok: true; value: Restored }
  | { ok: false; cause: 'settings' | 'backup'; problems: string[] }

/**
 * Creates a service from a backup: in a new data folder, and in the embedded database or an empty one of
 * `DATABASE_URL`. Nothing is written before the whole backup has been read and verified. An interrupted restore
 * leaves a folder on which no service starts.
 */
export async function restoreBackup(plan: RestorePlan, say: (text: string) => void): Promise<RestoreOutcome> {
  try {
    const config = readConfig()
    return { ok: true, value: await restore(config, { ...plan, folder: resolve(plan.folder) }, say) }
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

async function restore(
  config: Config,
  { folder, identityFile, until }: RestorePlan,
  say: (text: string) => void,
): Promise<Restored> {
  const accounts = accountsOrCaller(config)
  await checkEmptyFolder(config.dataDir)
  if (config.databaseUrl) await onDatabase(config.databaseUrl, checkEmptyDatabase)
  const moment = until && (await momentOf(config, { folder, identityFile, until }))
  const source = moment?.backup.path ?? folder
  const { files: listed, manifest } = await openBackup(source, identityFile, say)
  const backup = { source, manifest, identityFile }
  const files = [...filesOf(backup, listed), ...(moment?.files ?? [])]
  const lock = await lockInstance(openDataFolder(config.dataDir, accounts).lock, 'a restore')
  try {
    markRestore(config.dataDir)
    const target = prepareDataFolder(config.dataDir, accounts)
    say('keys and objects')
    await restoreFiles(files, config.dataDir, accounts?.shared)
    shareRestored(config.dataDir, accounts)
    say('database')
    const loaded = moment
      ? { rows: undefined, ...(await recover(config, target.postgres, backup, moment)) }
      : await load(config, target.postgres, backup)
    await promisify(execFile)('sync', ['--file-system', config.dataDir])
    clearRestoreMark(config.dataDir)
    const { madeAt, objectsIn } = manifest
    return { ...loaded, dataDir: config.dataDir, madeAt, until, files: files.length, objectsIn }
  } finally {
    await lock.release()
  }
}

async function momentOf(config: Config, plan: RestorePlan & { until: Date }): Promise<Moment> {
  if (config.databaseUrl)
    throw new BackupProblem('a moment is restored in the embedded database alone: start without DATABASE_URL')
  return findMoment(plan.folder, plan)
}

async function openBackup(
  source: string,
  identityFile: string | undefined,
  say: (text: string) => void,
): Promise<CheckedBackup> {
  const backup = await checkBackup(source, say)
  if (isEncrypted(backup.manifest) && identityFile === undefined)
    throw new BackupProblem('the backup is encrypted: name the file of the identity with --identity')
  await checkIdentity(backup, identityFile)
  return backup
}

/** Brings the embedded database to a moment. */
async function recover(
  config: Config,
  postgresDir: string,
  backup: BackupSource,
  moment: Moment,
): Promise<Settled> {
  const user = config.postgresUser
  try {
    await recoverCluster({
      ...{ dataDir: postgresDir, user, until: moment.until },
      cluster: [...contentOf(backup, clusterFile), createGunzip()],
      segments: contentOfSegments(moment, backup.identityFile),
    })
  } catch (error) {
    if (error instanceof LogEnded) throw logEnded(error, moment)
    throw error
  }
  const postgres = await startPostgres({ dataDir: postgresDir, user })
  try {
    return await onDatabase(postgres.url, async (db) => {
      const settled = await settleDatabase(db)
      await recordAuditEntry(db, { act: 'restore', subject: moment.until.toISOString() }, userInfo().username)
      return settled
    })
  } finally {
    await postgres.stop()
  }
}

function logEnded({ lastAt }: LogEnded, { until, missing }: Moment): BackupProblem {
  const reached = lastAt ? `, and the last change before it is of ${lastAt}` : ''
  return new BackupProblem(
    missing === undefined
      ? `the archive ends before ${until.toISOString()}${reached}: name an earlier moment`
      : `segment ${missing} of the archive is missing or not whole${reached}: name an earlier moment, or one after the next backup`,
  )
}

async function load(config: Config, postgresDir: string, backup: BackupSource): Promise<Loaded> {
  const fill = async (db: Database) => {
    const loaded = await loadDatabase(db, backup)
    await recordAuditEntry(db, { act: 'restore', subject: backup.manifest.madeAt }, userInfo().username)
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
  const db = connect(url, { poolSize: 2, log: createLog('restore', 'warn', 'stderr'), name: 'restore' })
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
