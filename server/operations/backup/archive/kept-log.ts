import type { BackupConfig } from '../../../base/config/backup-settings.ts'
import type { DatabaseConfig } from '../../../base/config/database-settings.ts'

/** Of its log the server keeps this much for the archive, above what it needs itself: more is never kept, whatever happens to the archive. */
export const keptLog = { wal_keep_size: '1GB' }

/** Of settings as the supervisor has them: other processes get the address of the embedded database too. */
export const externalLogProblem = ({
  backupWalBytes,
  databaseUrl,
}: Pick<BackupConfig & DatabaseConfig, 'backupWalBytes' | 'databaseUrl'>): string | undefined =>
  backupWalBytes !== undefined && databaseUrl !== undefined
    ? 'SANDBOX_BACKUP_WAL_BYTES is for the embedded database: archive the log of the one of DATABASE_URL with its own tools'
    : undefined
