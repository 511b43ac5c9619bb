import { type Clock, dayMs } from '../../../base/clock.ts'
import { hasCode } from '../../../base/errors/has-code.ts'
import type { Log } from '../../../base/logging.ts'
import { isDatabaseUnavailable } from '../../../db/database.ts'
import { PostgresProblem } from '../../../postgres/problem.ts'
import { aboveFloor, NoSpace, type SpacePlan } from '../above-floor.ts'
import { lastTrial, trialFailing, trialTries } from '../backup-metrics.ts'
import { BackupProblem } from '../backup-problem.ts'
import { EncryptionProblem } from '../encryption/age.ts'
import type { BackupFolder } from '../schedule/backup-folder.ts'
import type { ScheduledBackup } from '../schedule/found-backups.ts'
import { type TrialResult, writeTrial } from '../trial-record.ts'
import { scratchBytes, type Tried } from './try-restore.ts'

/*
 * Trials of scheduled backups. The newest one is tried when the last successful trial is too old, and once only: a damaged backup does not
 * become better. A trial that the machine could not make, for want of space, says nothing about the backup and is made later.
 */

export interface TrialOptions {
  folder: BackupFolder
  /** Between two trials; 0: none is made. */
  days: number
  /** Trials need space in the data folder. */
  space: Pick<SpacePlan, 'dataDir' | 'diskFloorBytes'>
  tryOne: (backup: string, signal: AbortSignal) => Promise<Tried>
  clock: Clock
  log: Log
  /** Whether the last trial ended with its process, which the next one might do too. */
  wasInterrupted: boolean
  /** Pause after a trial that could not be made. */
  retryMs?: number
}

const hourMs = 3_600_000

export class RestoreTrials {
  readonly #options: TrialOptions
  #passUntilMs = 0

  constructor(options: TrialOptions) {
    this.#options = options
    if (options.wasInterrupted) this.#postpone('the last trial was interrupted')
  }

  /** Not while a backup is made or removed. */
  async turn(signal: AbortSignal): Promise<void> {
    const { folder, days, clock } = this.#options
    if (days === 0 || performance.now() < this.#passUntilMs) return
    const backups = await folder.list()
    showTrials(backups)
    const due = this.#due(backups)
    if (!due) return
    const result = await this.#try(due, signal)
    if (result === undefined) return
    writeTrial(due.path, { triedAt: clock.now().toISOString(), result })
    showTrials(await folder.list())
  }

  #due(newestFirst: ScheduledBackup[]): ScheduledBackup | undefined {
    const { days, clock } = this.#options
    const now = clock.now()
    const agesMs = newestFirst.flatMap(({ trial }) =>
      trial && trial.result !== 'failed' ? [now.getTime() - Date.parse(trial.triedAt)] : [],
    )
    if (agesMs.some((ageMs) => ageMs >= 0 && ageMs < days * dayMs)) return undefined
    const newest = newestFirst.find(({ madeAt }) => madeAt <= now)
    return newest?.trial ? undefined : newest
  }

  /** Undefined if this machine could not try. */
  async #try({ path, manifest }: ScheduledBackup, signal: AbortSignal): Promise<TrialResult | undefined> {
    const { space, tryOne, log } = this.#options
    const startedMs = performance.now()
    try {
      const plan = { ...space, folder: space.dataDir, bytes: await scratchBytes(path, manifest) }
      const tried = await aboveFloor(plan, signal, (either) => tryOne(path, either))
      const result = tried.rows === undefined ? 'read' : 'restored'
      trialTries.inc({ result })
      const seconds = Math.round((performance.now() - startedMs) / 1000)
      const found = { backup: path, ...tried, seconds }
      if (result === 'restored') log.info(found, 'tried to restore a backup')
      else
        log.warn(
          found,
          'read an encrypted backup; its rows cannot be loaded without SANDBOX_BACKUP_IDENTITY_FILE',
        )
      return result
    } catch (error) {
      if (signal.aborted) return undefined
      if (isOfMachine(error)) {
        this.#postpone(error.message)
        return undefined
      }
      trialTries.inc({ result: 'failed' })
      const reason = error instanceof BackupProblem ? { error: error.message } : { err: error }
      log.error({ backup: path, ...reason }, 'a backup cannot be restored')
      return 'failed'
    }
  }

  #postpone(reason: string): void {
    const { log, retryMs = hourMs } = this.#options
    this.#passUntilMs = performance.now() + retryMs
    trialTries.inc({ result: 'failed' })
    trialFailing.set(1)
    log.error({ error: reason }, 'a restore could not be tried')
  }
}

const isOfMachine = (error: unknown): error is Error =>
  error instanceof NoSpace ||
  error instanceof EncryptionProblem ||
  error instanceof PostgresProblem ||
  hasCode(error, 'ENOSPC') ||
  isDatabaseUnavailable(error)

function showTrials(newestFirst: ScheduledBackup[]): void {
  const trials = newestFirst.flatMap(({ trial }) => trial ?? [])
  trialFailing.set(trials[0]?.result === 'failed' ? 1 : 0)
  const restored = trials
    .filter(({ result }) => result === 'restored')
    .map(({ triedAt }) => Date.parse(triedAt))
  if (restored.length > 0) lastTrial.set(Math.max(...restored) / 1000)
  else lastTrial.remove()
}
