import { absolutePath, integer, type Settings } from './setting.ts'

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
}

const timePattern = /^([01]\d|2[0-3]):[0-5]\d$/
const timesMost = 24

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
}
