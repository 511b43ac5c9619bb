import { absolutePath, integer, type Settings, size, text } from './setting.ts'

/** The backups that the service makes by itself. */
export interface BackupConfig {
  /** Undefined: it makes none. */
  backupFolder: string | undefined
  /** Times of the day in UTC, as `HH:MM`. */
  backupTimes: string[]
  /** Days, weeks and months of which the newest backup is kept. */
  backupKeepDaily: number
  backupKeepWeekly: number
  backupKeepMonthly: number
  /** Between two trials of a restore; 0: none is made. */
  backupTrialDays: number
  /** Public keys of age that backups are encrypted to; none: they are not encrypted. */
  backupRecipients: string[]
  /** The identity that trials of a restore open encrypted backups with. */
  backupIdentityFile: string | undefined
  /** Where backups are copied to, as rclone names it; undefined: they are not copied. */
  backupRemote: string | undefined
  /** Configuration file of rclone. */
  backupRemoteFile: string | undefined
  /** Bytes of the archive that a restore to a moment needs; undefined: nothing is archived. */
  backupWalBytes: number | undefined
}

const timePattern = /^([01]\d|2[0-3]):[0-5]\d$/
const timesMost = 24
const recipientPattern = /^age1[02-9ac-hj-np-z]{58}$/
const recipientsMost = 16

export const backupSettings: Settings<BackupConfig> = {
  backupFolder: {
    env: 'SANDBOX_BACKUP_FOLDER',
    description: 'folder that the service makes backups in; default: it makes none',
    fallback: () => undefined,
    ...absolutePath,
  },
  backupTimes: {
    env: 'SANDBOX_BACKUP_TIMES',
    description: 'times of the day, in UTC, at which a backup is made',
    fallback: () => ['02:00'],
    expected: `at most ${timesMost} times such as 02:00,14:30`,
    parse: (raw) => {
      const times = String(raw)
        .split(',')
        .map((time) => time.trim())
      return times.length <= timesMost && times.every((time) => timePattern.test(time)) ? times : undefined
    },
  },
  backupKeepDaily: {
    env: 'SANDBOX_BACKUP_KEEP_DAILY',
    description: 'days of which the newest backup is kept',
    fallback: () => 7,
    ...integer(1, 3660),
  },
  backupKeepWeekly: {
    env: 'SANDBOX_BACKUP_KEEP_WEEKLY',
    description: 'weeks of which the newest backup is kept',
    fallback: () => 4,
    ...integer(0, 520),
  },
  backupKeepMonthly: {
    env: 'SANDBOX_BACKUP_KEEP_MONTHLY',
    description: 'months of which the newest backup is kept',
    fallback: () => 6,
    ...integer(0, 120),
  },
  backupTrialDays: {
    env: 'SANDBOX_BACKUP_TRIAL_DAYS',
    description: 'days between two trials of restoring the newest backup; 0: none is made',
    fallback: () => 7,
    ...integer(0, 365),
  },
  backupRecipients: {
    env: 'SANDBOX_BACKUP_RECIPIENTS',
    description: 'public keys of age that backups are encrypted to; default: they are not encrypted',
    fallback: () => [],
    expected: `at most ${recipientsMost} public keys such as age1... that age-keygen prints, separated by commas`,
    parse: (raw) => {
      const keys = String(raw)
        .split(',')
        .map((key) => key.trim())
      return keys.length <= recipientsMost && keys.every((key) => recipientPattern.test(key))
        ? keys
        : undefined
    },
  },
  backupIdentityFile: {
    env: 'SANDBOX_BACKUP_IDENTITY_FILE',
    description:
      'identity of age that trials of a restore open encrypted backups with; default: they only read them',
    fallback: () => undefined,
    ...absolutePath,
  },
  backupRemote: {
    env: 'SANDBOX_BACKUP_REMOTE',
    description: 'folder in a bucket that backups are copied to by rclone; default: they are not copied',
    fallback: () => undefined,
    ...text(/^\w[\w-]*:[\w-][\w./-]*[\w-]$/, 'NAME:BUCKET/FOLDER, with a name of SANDBOX_BACKUP_REMOTE_FILE'),
  },
  backupRemoteFile: {
    env: 'SANDBOX_BACKUP_REMOTE_FILE',
    description: 'configuration file of rclone with the credentials of SANDBOX_BACKUP_REMOTE',
    fallback: () => undefined,
    ...absolutePath,
  },
  backupWalBytes: {
    env: 'SANDBOX_BACKUP_WAL_BYTES',
    description:
      'bytes of the archive of the write-ahead log, for a restore to a moment; default: nothing is archived',
    fallback: () => undefined,
    ...size(2 ** 30, Number.MAX_SAFE_INTEGER),
  },
}
