import { lastTime, nextTime } from './backup-times.ts'
import type { FoundBackup } from './found-backups.ts'
import { type KeepRules, type KeptAs, keptBackups, notKept } from './retention.ts'

export interface PlannedBackup {
  backup: FoundBackup
  /** Why retention keeps it now; none for a backup that is not complete. */
  keptAs: KeptAs[]
  /** Whether retention removes it when the next backup is complete. */
  isRemovedNext: boolean
}

export interface BackupPlan {
  /** `now` if one is due. */
  nextAt: Date
  /** The newest first. */
  backups: PlannedBackup[]
}

/** Plans the next turn of the schedule for the backups of its folder. */
export function planBackups(
  found: readonly FoundBackup[],
  { times, keep, now }: { times: readonly string[]; keep: KeepRules; now: Date },
): BackupPlan {
  const complete = found.filter((backup) => backup.state === 'complete')
  const last = Math.max(...complete.map(({ madeAt }) => madeAt.getTime()).filter((at) => at <= now.getTime()))
  const nextAt = last >= lastTime(times, now).getTime() ? nextTime(times, now) : now
  const kept = keptBackups<FoundBackup & { madeAt: Date }>(complete, keep, now)
  const next = { madeAt: nextAt, path: undefined }
  const removed = new Set(notKept([...complete, next], keep, nextAt).map(({ path }) => path))
  return {
    nextAt,
    backups: found
      .toSorted((a, b) => (a.path < b.path ? 1 : -1))
      .map((backup) => ({
        backup,
        keptAs: (backup.state === 'complete' && kept.get(backup)) || [],
        isRemovedNext: removed.has(backup.path),
      })),
  }
}
