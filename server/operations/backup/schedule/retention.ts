import { dayMs } from '../../../base/clock.ts'
import type { BackupConfig } from '../../../base/config/backup-settings.ts'
import type { TrialResult } from '../trial-record.ts'

/** Numbers of days, weeks and months of which the newest backup is kept. */
export interface KeepRules {
  daily: number
  weekly: number
  monthly: number
}

export const keepRulesOf = (config: BackupConfig): KeepRules => ({
  daily: config.backupKeepDaily,
  weekly: config.backupKeepWeekly,
  monthly: config.backupKeepMonthly,
})

interface Kept {
  madeAt: Date
  trial?: { result: TrialResult } | undefined
}

const dayOf = ({ madeAt }: Kept) => Math.floor(madeAt.getTime() / dayMs)

/** Why a backup is kept. */
export type KeptAs = 'future' | 'newest' | 'tried' | 'daily' | 'weekly' | 'monthly'

/**
 * The backups that stay, with the reasons. Only days, weeks (from Monday) and months with a backup count, so a service that made none
 * for long, or a clock that was set ahead, removes nothing but what newer backups replace. The newest one always stays,
 * and the newest one that passed a trial. Backups of the future stay too, because a clock that was set back says nothing about their age.
 */
export function keptBackups<Backup extends Kept>(
  backups: readonly Backup[],
  { daily, weekly, monthly }: KeepRules,
  now: Date,
): Map<Backup, KeptAs[]> {
  const past = backups
    .filter(({ madeAt }) => madeAt <= now)
    .toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime())
  const reasons: [KeptAs, Backup[]][] = [
    ['future', backups.filter(({ madeAt }) => madeAt > now)],
    ['newest', past.slice(0, 1)],
    ['tried', past.filter(({ trial }) => trial && trial.result !== 'failed').slice(0, 1)],
    ['daily', newestOfEach(past, daily, dayOf)],
    // The first day of the epoch was a Thursday.
    ['weekly', newestOfEach(past, weekly, (backup) => Math.floor((dayOf(backup) + 3) / 7))],
    [
      'monthly',
      newestOfEach(past, monthly, ({ madeAt }) => madeAt.getUTCFullYear() * 12 + madeAt.getUTCMonth()),
    ],
  ]
  const kept = new Map<Backup, KeptAs[]>()
  for (const [reason, those] of reasons) {
    for (const backup of those) kept.set(backup, [...(kept.get(backup) ?? []), reason])
  }
  return kept
}

/** The backups that the rules do not keep. */
export function notKept<Backup extends Kept>(
  backups: readonly Backup[],
  rules: KeepRules,
  now: Date,
): Backup[] {
  const kept = keptBackups(backups, rules, now)
  return backups.filter((backup) => !kept.has(backup))
}

/** The first backup of each of the first `count` periods. */
function newestOfEach<Backup>(
  newestFirst: readonly Backup[],
  count: number,
  periodOf: (backup: Backup) => number,
): Backup[] {
  const periods = new Set<number>()
  return newestFirst.filter((backup) => {
    const period = periodOf(backup)
    if (periods.has(period) || periods.size === count) return false
    periods.add(period)
    return true
  })
}
