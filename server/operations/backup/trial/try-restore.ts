import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../../base/errors/has-code.ts'
import { createLog } from '../../../base/logging.ts'
import { connect } from '../../../db/database.ts'
import { type Postgres, type PostgresOptions, startPostgres } from '../../../postgres/postgres.ts'
import { checkBackup } from '../check-backup.ts'
import { rowsFile } from '../database/dump-database.ts'
import { loadDatabase } from '../database/load-database.ts'
import { isEncrypted, pathInBackup } from '../encryption/backup-files.ts'
import { checkIdentity } from '../encryption/check-identity.ts'
import type { Manifest } from '../manifest.ts'

export interface RestoreTrial {
  /** Folder of the backup. */
  source: string
  /** Folder for the database; removed before and after. */
  scratch: string
  server: Pick<PostgresOptions, 'user' | 'through'>
  /** Opens an encrypted backup. */
  identityFile: string | undefined
  signal: AbortSignal
}

export interface Tried {
  /** Undefined: the backup is encrypted, and there is no identity, so that its files were read alone. */
  rows: number | undefined
  files: number
}

/**
 * Restores a backup as far as that can be tried beside a running service: it reads every file and compares it with the manifest, and
 * loads all rows into a database of its own, which checks their number, types and references. Objects and keys are read and not copied.
 */
export async function tryRestore({
  source,
  scratch,
  server,
  identityFile,
  signal,
}: RestoreTrial): Promise<Tried> {
  await removeScratch(scratch)
  const backup = await checkBackup(source, () => undefined, signal)
  const { manifest, files } = backup
  if (isEncrypted(manifest) && identityFile === undefined) return { rows: undefined, files: files.length }
  await checkIdentity(backup, identityFile)
  try {
    const postgres = await startPostgres({
      ...{ ...server, dataDir: scratch, inBackground: true },
      // Nothing of it has to outlive a crash.
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '256MB' },
    })
    const { rows } = await stoppedBy(signal, postgres, async () => {
      // The end of the server breaks idle connections, which is a warning.
      const log = createLog('backups', 'error')
      const db = connect(postgres.url, { poolSize: 2, log, name: 'restore trial' })
      try {
        return await loadDatabase(db, { source, manifest, identityFile })
      } finally {
        await db.destroy()
      }
    })
    return { rows, files: files.length }
  } finally {
    await removeScratch(scratch)
  }
}

/** Removes the folder of a trial, where the server of a killed process may still be writing. Returns whether there was one. */
export async function removeScratch(scratch: string): Promise<boolean> {
  if (!existsSync(scratch)) return false
  await rm(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  return true
}

async function stoppedBy<T>(signal: AbortSignal, postgres: Postgres, work: () => Promise<T>): Promise<T> {
  const stop = () => void postgres.stop()
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await work()
  } finally {
    signal.removeEventListener('abort', stop)
    await postgres.stop()
  }
}

/** An empty database with its write-ahead log, and the program. */
const emptyBytes = 512 * 2 ** 20
/** Of rows with their indexes, to compressed rows. */
const expansion = 12

/** Roughly how much space the database of a backup needs. */
export async function scratchBytes(source: string, manifest: Manifest): Promise<number> {
  const sizes = await Promise.all(
    manifest.tables.map(({ name }) =>
      stat(join(source, pathInBackup(rowsFile(name), manifest))).then(
        ({ size }) => size,
        (error: unknown) => {
          // The trial will say so.
          if (hasCode(error, 'ENOENT')) return 0
          throw error
        },
      ),
    ),
  )
  return emptyBytes + expansion * sizes.reduce((sum, size) => sum + size, 0)
}
