/** Numbers of days, weeks and months of which the newest backup is kept. */
export interface KeepRules {
  daily: number
  weekly: number
  monthly: number
}

interface Kept {
  madeAt: Date
  trial?: { restored: boolean } | undefined
}

const dayMs = 86_400_000
const dayOf = ({ madeAt }: Kept) => Math.floor(madeAt.getTime() / dayMs)

/**
 * The backups that the rules do not keep. Only days, weeks (from Monday) and months with a backup count, so a service that made none
 * for long, or a clock that was set ahead, removes nothing but what newer backups replace. The newest one always stays,
 * and the newest one that a trial restored. Backups of
 * the future stay too, because a clock that was set back says nothing about their age.
 */
export function notKept<Backup extends Kept>(
  backups: readonly Backup[],
  { daily, weekly, monthly }: KeepRules,
  now: Date,
): Backup[] {
  const past = backups
    .filter(({ madeAt }) => madeAt <= now)
    .toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime())
  const kept = new Set([
    ...past.slice(0, 1),
    ...past.filter(({ trial }) => trial?.restored).slice(0, 1),
    ...newestOfEach(past, daily, dayOf),
    // The first day of the epoch was a Thursday.
    ...newestOfEach(past, weekly, (backup) => Math.floor((dayOf(backup) + 3) / 7)),
    ...newestOfEach(past, monthly, ({ madeAt }) => madeAt.getUTCFullYear() * 12 + madeAt.getUTCMonth()),
  ])
  return past.filter((backup) => !kept.has(backup))
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
