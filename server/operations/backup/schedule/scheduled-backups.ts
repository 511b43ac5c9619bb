import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/logging.ts'
import { aboveFloor, type SpacePlan } from '../above-floor.ts'
import { backupFailing, backupTries, lastBackup } from '../backup-metrics.ts'
import { BackupProblem } from '../backup-problem.ts'
import { failureReason } from '../failure-reason.ts'
import type { Manifest } from '../manifest.ts'
import type { BackupFolder } from './backup-folder.ts'
import { lastTime } from './backup-times.ts'
import type { ScheduledBackup } from './found-backups.ts'
import { type KeepRules, notKept } from './retention.ts'

/*
 * Scheduled backups. A turn removes what an interrupted one left and what the rules do not keep, and makes a backup if the newest one is
 * older than the last of the times: a time at which the service did not run is made up for. Backups of the future, of a clock that
 * was set back since, do not count. After a failure the next turns pass, so that a backup that cannot be made does not keep
 * the disks busy.
 */

export interface ScheduleOptions {
  folder: BackupFolder
  times: readonly string[]
  keep: KeepRules
  space: Pick<SpacePlan, 'dataDir' | 'diskFloorBytes'>
  make: (target: string, signal: AbortSignal) => Promise<Manifest>
  /** Whether one is made before its time, because of what the newest one lacks. */
  needsAnother?: (newest: ScheduledBackup) => boolean
  clock: Clock
  log: Log
  /** Pause after a failure. */
  retryMs?: number
}

const tenMinutesMs = 600_000

export class ScheduledBackups {
  readonly #options: ScheduleOptions
  #passUntilMs = 0

  constructor(options: ScheduleOptions) {
    this.#options = options
  }

  /** Never rejects: it logs and counts failures. Returns whether the folder has what it should. */
  async turn(signal: AbortSignal): Promise<boolean> {
    if (performance.now() < this.#passUntilMs) return false
    const { log, retryMs = tenMinutesMs } = this.#options
    try {
      await this.#turn(signal)
      backupFailing.set(0)
      return true
    } catch (error) {
      if (signal.aborted) return false
      this.#passUntilMs = performance.now() + retryMs
      backupTries.inc({ result: 'failed' })
      backupFailing.set(1)
      log.error(failureReason(error), 'no backup was made')
      return false
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { folder, times, clock, log } = this.#options
    await folder.check()
    const incomplete = await folder.listIncomplete()
    for (const path of incomplete) {
      await folder.remove(path)
      log.warn({ backup: path }, 'removed an interrupted backup')
    }
    const last = await this.#retain()
    const now = clock.now()
    if (last && last.madeAt >= lastTime(times, now) && !this.#options.needsAnother?.(last)) return
    if (incomplete.length > 0) throw new BackupProblem('the last try was interrupted')
    await this.#make(folder.pathOf(now), last, signal)
    await this.#retain()
  }

  /** Removes what the rules do not keep. Returns the newest backup that is not of the future. */
  async #retain(): Promise<ScheduledBackup | undefined> {
    const { folder, keep, clock, log } = this.#options
    const backups = await folder.list()
    const now = clock.now()
    for (const { path } of notKept(backups, keep, now)) {
      await folder.remove(path)
      log.info({ backup: path }, 'removed an old backup')
    }
    const last = backups.find(({ madeAt }) => madeAt <= now)
    if (last) lastBackup.set(last.madeAt.getTime() / 1000)
    else lastBackup.remove()
    return last
  }

  async #make(target: string, last: ScheduledBackup | undefined, signal: AbortSignal): Promise<void> {
    const { folder, space, make, log } = this.#options
    const startedMs = performance.now()
    try {
      const plan = { ...space, folder: folder.path, bytes: last?.manifest.bytes ?? 0 }
      const { files, bytes } = await aboveFloor(plan, signal, (either) => make(target, either))
      backupTries.inc({ result: 'made' })
      const seconds = Math.round((performance.now() - startedMs) / 1000)
      log.info({ backup: target, files, bytes, seconds }, 'made a backup')
    } catch (error) {
      // Its space is needed, perhaps at once.
      await folder.remove(target)
      throw error
    }
  }
}
