import type { BackupConfig } from '../../../base/config/backup-settings.ts'
import type { DatabaseConfig } from '../../../base/config/database-settings.ts'

/**
 * How much log the server keeps for the archive, beside what it needs itself. It removes older log whether it was archived or not: an
 * archive that fails must not fill the disk of the database.
 */
export const keptLog = { wal_keep_size: '1GB' }

/**
 * Why the log cannot be archived with these settings. They are those of the supervisor: other processes get the address of the embedded
 * database as `databaseUrl`.
 */
export const externalLogProblem = ({
  backupWalBytes,
  databaseUrl,
}: Pick<BackupConfig & DatabaseConfig, 'backupWalBytes' | 'databaseUrl'>): string | undefined =>
  backupWalBytes !== undefined && databaseUrl !== undefined
    ? 'SANDBOX_BACKUP_WAL_BYTES is for the embedded database: archive the log of the one of DATABASE_URL with its own tools'
    : undefined
