import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/logging.ts'
import type { Database } from '../../../db/database.ts'
import { aboveFloor, type SpacePlan } from '../above-floor.ts'
import { archiveBytes, archivedUntil, archiveFailing } from '../backup-metrics.ts'
import { BackupProblem } from '../backup-problem.ts'
import { failureReason } from '../failure-reason.ts'
import type { BackupFolder } from '../schedule/backup-folder.ts'
import type { ScheduledBackup } from '../schedule/found-backups.ts'
import { ArchiveBound } from './archive-bound.ts'
import { archiveFiles } from './archive-files.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import { archiveLog } from './archive-log.ts'
import { namesOfWhole } from './archived-segments.ts'
import { noteUntil } from './archived-until.ts'
import { archivedBackups } from './cluster-backups.ts'
import { firstMissing } from './segments.ts'
import { markLog } from './wal-store.ts'

/*
 * The archive of the write-ahead log. Each turn archives the keys and objects that came since the last one, and then the log up to where it
 * was before: so every object that a row of the archived log names is there. The server keeps `keptLog` of the log for this, and goes
 * on whatever happens to the archive. Segments that it removed before they were archived are missing until the next backup.
 *
 * Backups of the future, of a clock that was set back since, do not count, because what was archived after them has earlier names.
 */

export interface ArchiveOptions {
  db: Database
  folder: Pick<BackupFolder, 'check' | 'list'>
  archive: ArchiveFolder
  walDir: string
  mostBytes: number
  space: Pick<SpacePlan, 'dataDir' | 'diskFloorBytes'>
  clock: Clock
  log: Log
  /** Pause after a failure. */
  retryMs?: number
}

const neededBytes = 64 * 2 ** 20
const fiveMinutesMs = 300_000
const hourMs = 3_600_000

export class WalArchive {
  readonly #options: ArchiveOptions
  #isFailing = false
  #passUntilMs = 0
  /** Path of the newest backup, if the log after it has a gap. */
  #broken: string | undefined

  constructor(options: ArchiveOptions) {
    this.#options = options
  }

  /** Whether the newest backup has no log after it, or a gap in it, and is more than an hour old: then another backup is made. */
  needsBackup({ madeAt, path, manifest }: ScheduledBackup): boolean {
    const isBroken = manifest.walSegment === undefined || path === this.#broken
    return isBroken && this.#options.clock.now().getTime() - madeAt.getTime() > hourMs
  }

  /** Never rejects: it logs and counts failures. */
  async turn(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#passUntilMs) return
    const { log, retryMs = fiveMinutesMs } = this.#options
    try {
      await this.#turn(signal)
      archiveFailing.set(0)
      if (this.#isFailing) log.info('the write-ahead log is archived again')
      this.#isFailing = false
    } catch (error) {
      if (signal.aborted) return
      archiveFailing.set(1)
      this.#passUntilMs = performance.now() + retryMs
      if (!this.#isFailing) log.error(failureReason(error), 'the write-ahead log was not archived')
      this.#isFailing = true
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { db, folder, archive, walDir, mostBytes, space, clock, log } = this.#options
    // First, so that no path leads elsewhere when something is removed.
    await folder.check()
    await archive.clear()
    await archive.makeFolders()
    const now = clock.now()
    const backups = archivedBackups(await folder.list()).filter(({ madeAt }) => madeAt <= now)
    const bound = await ArchiveBound.open({ archive, mostBytes, log }, backups)
    const end = await markLog(db)
    const plan = { ...space, folder: archive.path, bytes: neededBytes }
    await aboveFloor(plan, signal, async (either) => {
      const into = { archive, bound, signal: either }
      await archiveFiles({ ...into, dataDir: space.dataDir }, now)
      await archiveLog({ ...into, db, walDir }, end)
    })
    archiveBytes.set(bound.bytes)
    const newest = backups.at(-1)
    if (!newest) return
    const missing = firstMissing(newest.walSegment, namesOfWhole(await archive.listSegments()))
    if (missing < end.segment) {
      this.#broken = newest.path
      throw new BackupProblem(
        `segment ${missing} is missing, so later moments can be restored only after the next backup`,
      )
    }
    noteUntil(archive, now)
    archivedUntil.set(now.getTime() / 1000)
  }
}
