import type { BackupConfig } from '../../../base/config/backup-settings.ts'
import type { Remote } from './rclone.ts'

/** Where backups are copied to; undefined if they are not. */
export const configuredRemote = ({ backupRemote, backupRemoteFile }: BackupConfig): Remote | undefined =>
  backupRemote === undefined || backupRemoteFile === undefined
    ? undefined
    : { path: backupRemote, configFile: backupRemoteFile }
