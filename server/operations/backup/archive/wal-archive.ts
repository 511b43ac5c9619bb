import type { Clock } from '../../../base/clock.ts'
import { hasCode } from '../../../base/errors/has-code.ts'
import type { Log } from '../../../base/logging.ts'
import { type Database, isDatabaseUnavailable } from '../../../db/database.ts'
import { aboveFloor, type SpacePlan } from '../above-floor.ts'
import { archiveBytes, archivedUntil, archiveFailing } from '../backup-metrics.ts'
import { BackupProblem } from '../backup-problem.ts'
import type { BackupFolder } from '../schedule/backup-folder.ts'
import { nameOf, type ScheduledBackup } from '../schedule/found-backups.ts'
import { archiveFiles, startFiles } from './archive-files.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import { archiveLog } from './archive-log.ts'
import { namesOfWhole } from './archived-segments.ts'
import { archivedBackups, type ClusterBackup } from './cluster-backups.ts'
import { firstMissing } from './segments.ts'
import { markLog } from './wal-store.ts'

/*
 * The archive of the write-ahead log. Each turn archives the keys and objects that came since the last one, and then the log up to where it
 * was before: so every object that a row of the archived log names is there. The server keeps `keptLog` of the log for this, and goes
 * on whatever happens to the archive. Segments that it removed before they were archived are missing until the next backup.
 *
 * Backups of the future, of a clock that was set back since, do not count: what came after them has earlier names.
 *
 * The archive has a bound. Beyond it the log of the oldest backup goes, and with it the moments that could be restored from it alone.
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
  /** The backup after which the log has a gap. */
  #broken: string | undefined

  constructor(options: ArchiveOptions) {
    this.#options = options
  }

  /** To be called before a backup that a moment is to be restored from. */
  async start(): Promise<void> {
    const { folder, archive, clock } = this.#options
    await folder.check()
    await archive.makeFolders()
    await startFiles(archive, clock.now())
  }

  /** Whether no later moment can be restored before another backup was made. One in an hour is enough. */
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
      const reason = isExpected(error) ? { error: error.message } : { err: error }
      if (!this.#isFailing) log.error(reason, 'the write-ahead log was not archived')
      this.#isFailing = true
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { db, folder, archive, walDir, mostBytes, space, clock } = this.#options
    // Before anything is removed: nobody else may lead the paths elsewhere.
    await folder.check()
    await archive.clear()
    await this.start()
    const now = clock.now()
    const backups = archivedBackups(await folder.list()).filter(({ madeAt }) => madeAt <= now)
    const room = await this.#makeRoom(backups)
    let { bytes } = room
    const end = await markLog(db)
    const plan = { ...space, folder: archive.path, bytes: neededBytes }
    await aboveFloor(plan, signal, async (either) => {
      const onFile = (byteSize: number) => {
        bytes += byteSize
        if (bytes > mostBytes) throw tooSmall(mostBytes)
      }
      const files = { archive, dataDir: space.dataDir, onFile, signal: either }
      await archiveFiles(files, { name: nameOf(now), now })
      await archiveLog({ db, archive, walDir, onFile, signal: either }, { from: room.from, end })
    })
    archiveBytes.set(await archive.byteSize())
    const newest = backups.at(-1)
    if (!newest) return
    const missing = firstMissing(newest.walSegment, namesOfWhole(await archive.listSegments()))
    if (missing < end.segment) {
      this.#broken = newest.path
      throw new BackupProblem(
        `segment ${missing} is missing, so later moments can be restored only after the next backup`,
      )
    }
    archivedUntil.set(now.getTime() / 1000)
  }

  /**
   * Removes what none of the backups needs, and then the log of the oldest backups. Returns the size of the rest, and the segment from which the
   * backups that remain need the log.
   */
  async #makeRoom(backups: readonly ClusterBackup[]): Promise<{ bytes: number; from: string }> {
    const { archive, mostBytes, log } = this.#options
    let bytes = await archive.byteSize()
    let from = ''
    for (const [at, { walSegment, name }] of backups.entries()) {
      if (at > 0 && bytes <= mostBytes) break
      from = walSegment
      if ((await archive.removeBefore(walSegment, name)) === 0) continue
      bytes = await archive.byteSize()
      if (at > 0)
        log.warn({ earliest: name }, 'removed the log of an old backup: the archive has reached its bound')
    }
    if (bytes > mostBytes) throw tooSmall(mostBytes)
    return { bytes, from }
  }
}

const tooSmall = (mostBytes: number) =>
  new BackupProblem(
    `the archive needs more than the ${mostBytes} bytes of SANDBOX_BACKUP_WAL_BYTES since the newest backup`,
  )

/** Failures that the message explains. */
const isExpected = (error: unknown): error is Error =>
  error instanceof BackupProblem || hasCode(error, 'ENOSPC') || isDatabaseUnavailable(error)
