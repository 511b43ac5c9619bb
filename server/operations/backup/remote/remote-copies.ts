import { basename } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/logging.ts'
import { copyFailing, copyTries, lastCopy } from '../backup-metrics.ts'
import { BackupProblem } from '../backup-problem.ts'
import { readRecord, writeRecord } from '../backup-record.ts'
import type { BackupFolder } from '../schedule/backup-folder.ts'
import type { KeepRules } from '../schedule/retention.ts'
import type { RemoteBackups } from './remote-backups.ts'

/*
 * Copies of scheduled backups to a bucket. A turn copies the newest backup if it was not copied there, and then removes from the bucket what
 * the rules do not keep. `copy.json` of a backup says where it was copied to. After a failure the next turns pass.
 */

export interface CopyOptions {
  folder: BackupFolder
  remote: Pick<RemoteBackups, 'check' | 'copy' | 'retain'>
  /** Names the bucket in `copy.json`. */
  remotePath: string
  machine: string
  keep: KeepRules
  clock: Clock
  log: Log
  /** Pause after a failure. */
  retryMs?: number
}

const tenMinutesMs = 600_000
const recordName = 'copy.json'

export class RemoteCopies {
  readonly #options: CopyOptions
  #passUntilMs = 0

  constructor(options: CopyOptions) {
    this.#options = options
  }

  /** Never rejects: it logs and counts failures. */
  async turn(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#passUntilMs) return
    const { log, retryMs = tenMinutesMs } = this.#options
    try {
      await this.#turn(signal)
      copyFailing.set(0)
    } catch (error) {
      if (signal.aborted) return
      this.#passUntilMs = performance.now() + retryMs
      copyTries.inc({ result: 'failed' })
      copyFailing.set(1)
      const reason = error instanceof BackupProblem ? { error: error.message } : { err: error }
      log.error(reason, 'no backup was copied to the bucket')
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { folder, remote, remotePath, machine, keep, clock, log } = this.#options
    const now = clock.now()
    const newest = (await folder.list()).find(({ madeAt }) => madeAt <= now)
    if (!newest) return
    const copied = await readRecord<CopyRecord>(newest.path, recordName)
    if (copied?.remote !== remotePath) {
      const startedMs = performance.now()
      await remote.check(machine, signal)
      await remote.copy(newest.path, basename(newest.path), signal)
      const removed = await remote.retain(keep, now, signal)
      writeRecord(newest.path, recordName, { remote: remotePath } satisfies CopyRecord)
      copyTries.inc({ result: 'copied' })
      const seconds = Math.round((performance.now() - startedMs) / 1000)
      log.info({ backup: newest.path, remote: remotePath, removed, seconds }, 'copied a backup to the bucket')
    }
    lastCopy.set(newest.madeAt.getTime() / 1000)
  }
}

interface CopyRecord {
  /** The bucket that the backup was copied to. */
  remote: string
}
