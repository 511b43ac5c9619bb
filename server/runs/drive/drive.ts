import { SandboxUnknown } from '../../../agent/port/errors.ts'
import type { ResultPort } from '../../../agent/port/results.ts'
import type { SandboxPort } from '../../../agent/port/sandboxes.ts'
import { sleep, systemClock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import { smallBytes } from '../../companies/storage/storage-reservations.ts'
import type { StartPace } from '../../fairness/start-pace.ts'
import { ClaimLost } from '../../work/lease.ts'
import { type RetryPolicy, retry, WorkerStopping } from '../../work/retry.ts'
import type { WorkSignals } from '../../work/worker.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import type { PartTools } from '../parts/run-parts.ts'
import type { PlacedImages } from '../prepare/placed-images.ts'
import type { CollectDeps } from '../results/collect-run.ts'
import type { ResultQueue } from '../results/result-pace.ts'
import { describe, forever } from './retry-policies.ts'
import type { RunQueue } from './run-queue.ts'
import { RunTrace } from './run-trace.ts'

export interface DriveDeps extends CollectDeps, PartTools {
  executor: SandboxPort & ResultPort
  runs: RunQueue
  images: PlacedImages
  resultQueue: ResultQueue
  startPace: StartPace
  log: Log
  /** How long the processes of a run may go on after they were asked to end. Absent or 0: they are killed at once. */
  stopGraceMs?: number | undefined
  egressCapBytes?: number | undefined
  pause?: typeof sleep | undefined
}

/** If a run has not ended this long after its start, `running` is written to its row. */
const reportDelayMs = 50

/** The worker no longer owns the run or is stopping: it leaves the run as it is. */
export const isOwnershipLost = (error: unknown): boolean =>
  error instanceof WorkerStopping || error instanceof ClaimLost

/** The state that the steps of one run share. */
export class Drive {
  readonly deps: DriveDeps
  readonly run: ClaimedRun
  readonly log: Log
  readonly trace: RunTrace
  /** Fires when a cancel is requested. */
  readonly cancel: AbortSignal
  readonly #stopping: AbortSignal
  readonly #ending = new AbortController()
  readonly #onStop = () => this.#ending.abort(this.#stopping.reason)
  /** The cancel request was read from the row, before the signal. */
  #isCancelMarked: boolean
  #report: { settled: AbortController; done: Promise<void> } | undefined
  #endStart: (() => void) | undefined

  constructor(deps: DriveDeps, run: ClaimedRun, { stopping, cancel }: WorkSignals) {
    this.deps = deps
    this.run = run
    this.log = deps.log.child({ run: run.id })
    this.trace = new RunTrace(run, systemClock.now().getTime())
    this.cancel = cancel
    this.#isCancelMarked = run.state === 'cancel_requested'
    this.#stopping = stopping
    stopping.addEventListener('abort', this.#onStop, { once: true })
    if (stopping.aborted) this.#onStop()
  }

  /** Fires when the worker stops, or has lost the run. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  get isCancelled(): boolean {
    return this.cancel.aborted || this.#isCancelMarked
  }

  markCancelled(): void {
    this.#isCancelMarked = true
  }

  retry<T>(what: string, work: () => Promise<T>, policy: RetryPolicy = forever): Promise<T> {
    const options = { policy, signal: this.signal, log: this.log, pause: this.deps.pause }
    return this.trace.call(what, () => retry(what, work, options))
  }

  /** Writes `running` to the row, unless the run ends soon: then its final statement records that too, which saves a write. */
  reportRunning(): void {
    const settled = new AbortController()
    const done = this.#reportUnless(settled.signal).catch((error: unknown) => this.#ending.abort(error))
    this.#report = { settled, done }
  }

  /** Resolves when `running` has been written or will not be. Throws if the write showed that the claim is lost. */
  async endReport(): Promise<void> {
    this.#report?.settled.abort()
    await this.#report?.done
    this.signal.throwIfAborted()
  }

  async #reportUnless(settled: AbortSignal): Promise<void> {
    const { runs, pause = sleep } = this.deps
    await pause(reportDelayMs, settled)
    if (settled.aborted) return
    const status = await this.retry('mark running', () => runs.markRunning(this.run))
    if (status === 'lost') {
      this.log.warn('run belongs to another worker')
      throw new ClaimLost()
    }
    if (status !== 'cancel_requested') return
    this.markCancelled()
    await this.stopSandbox()
  }

  /** Logs a failure: a sandbox that was not stopped ends at its deadline. */
  async stopSandbox(): Promise<void> {
    const { executor, stopGraceMs } = this.deps
    const { sandboxId } = this.run
    const stop = () => (stopGraceMs ? executor.terminate(sandboxId) : executor.stop(sandboxId))
    await this.retry('stop', stop).catch((error: unknown) => {
      if (error instanceof SandboxUnknown || isOwnershipLost(error)) return
      this.log.error({ error: describe(error) }, 'sandbox cannot be stopped')
    })
  }

  /** Waits until the company may start a sandbox. Held until `endStart` or `close`. */
  async beginStart(): Promise<void> {
    this.#endStart = await this.deps.startPace.begin(
      this.run.companyId,
      AbortSignal.any([this.signal, this.cancel]),
    )
  }

  endStart(): void {
    this.#endStart?.()
  }

  /** Returns false if the company's quota has no room for so many bytes. Held until the run has ended. */
  async reserveStorage(bytes: number): Promise<boolean> {
    if (bytes <= smallBytes) return true
    return this.retry('reserve storage', () => this.deps.runs.reserveStorage(this.run, bytes))
  }

  close(): void {
    this.#stopping.removeEventListener('abort', this.#onStop)
    this.#report?.settled.abort()
    this.endStart()
  }
}
