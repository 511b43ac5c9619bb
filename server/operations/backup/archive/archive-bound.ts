import type { Log } from '../../../base/logging.ts'
import { BackupProblem } from '../backup-problem.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import type { ClusterBackup } from './cluster-backups.ts'

interface BoundOptions {
  archive: ArchiveFolder
  mostBytes: number
  log: Log
}

/**
 * The bound of the archive. Beyond it the log of the oldest backup goes, and with it the moments that could be restored from that backup
 * alone. The log of the newest one stays.
 */
export class ArchiveBound {
  readonly #options: BoundOptions
  readonly #backups: ClusterBackup[]
  #bytes = 0

  private constructor(options: BoundOptions, backups: ClusterBackup[]) {
    this.#options = options
    this.#backups = backups
  }

  /** Removes what none of the backups needs, and then what is beyond the bound. */
  static async open(options: BoundOptions, backups: readonly ClusterBackup[]): Promise<ArchiveBound> {
    const { archive } = options
    const [first] = await archive.listSegments()
    const bound = new ArchiveBound(options, withLog(backups, first?.name))
    if (bound.oldest) await archive.removeBefore(bound.oldest)
    await bound.take(await archive.byteSize())
    return bound
  }

  /** The oldest backup that still has its log. */
  get oldest(): ClusterBackup | undefined {
    return this.#backups[0]
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Counts what was written. Throws a `BackupProblem` if it is beyond the bound with the newest backup alone. */
  async take(bytes: number): Promise<void> {
    const { archive, mostBytes, log } = this.#options
    this.#bytes += bytes
    while (this.#bytes > mostBytes) {
      const [, next] = this.#backups
      if (!next) throw tooSmall(mostBytes)
      this.#backups.shift()
      this.#bytes -= await archive.removeBefore(next)
      log.warn({ earliest: next.name }, 'removed the log of an old backup: the archive has reached its bound')
    }
  }
}

/**
 * The newest backup and those before it whose log is there from its start, which the first archived segment shows. A later segment than
 * that of a newer backup is of another database, and no log of it is there.
 */
export function withLog(backups: readonly ClusterBackup[], first: string | undefined): ClusterBackup[] {
  const found: ClusterBackup[] = []
  for (const backup of backups.toReversed()) {
    const [next] = found
    const { walSegment } = backup
    if (next && (first === undefined || walSegment < first || walSegment > next.walSegment)) break
    found.unshift(backup)
  }
  return found
}

const tooSmall = (mostBytes: number) =>
  new BackupProblem(
    `the archive needs more than the ${mostBytes} bytes of SANDBOX_BACKUP_WAL_BYTES since the newest backup`,
  )
