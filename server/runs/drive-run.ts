import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { ImageUntrusted } from '../builds/provenance/verify-image.ts'
import {
  ExecutorRefused,
  ExecutorUnavailable,
  endedUnbegun,
  noCapacity,
  type SandboxExit,
  SandboxUnknown,
  unbegun,
} from '../executor/port.ts'
import { claimExpired } from '../executor/start-in-time.ts'
import { ObjectMissing } from '../storage/port.ts'
import type { ClaimedRun } from './claim-store.ts'
import type { Standing } from './claimed-run-store.ts'
import { type CollectDeps, type Collected, collectRun, discardCollected } from './collect-run.ts'
import { type ContentRoom, contentBytes } from './content-room.ts'
import type { RunEnd } from './finish-run.ts'
import { Detached, describe, longPatienceMs, type Patience, patiently, shortPatienceMs } from './patience.ts'
import type { PlacedImages } from './placed-images.ts'
import { type PreparedRun, prepareRun } from './prepare-run.ts'
import type { ResultTurns } from './result-turns.ts'
import { failed, outcomeOf, outcomeUnkept, type RunOutcome } from './run-outcome.ts'
import type { RunQueue } from './run-queue.ts'

/*
 * One claimed run, from its claim to its end.
 *
 *   claimed ── prepare ── place the image ── start ── mark running ── wait ── collect ── finish ── remove
 *
 * Each step may be done again, because the worker can die between any two. What makes this safe: the executor starts a
 * sandbox id at most once, for ever, and keeps what a sandbox left until `remove`; every write to the row carries the
 * fence of this claim; an end is one transaction. So a worker that comes back asks the executor about the sandbox:
 *
 *   never started      forbid it; the run goes back into the queue, where its next claim names another sandbox
 *   input was cut      the same without a word: the boot program begins no job before the end of its input
 *   claimed long ago   the same: the executor starts nothing whose claim is older than what it remembers of ids
 *   started            mark it running, wait, collect, finish, as if nothing had happened
 *   not known to it    the run ends `platform_failed`, found by `reconcile`
 *
 * A cancel is asked for in the row first, then the worker hears of it: before the start it forbids the sandbox, after
 * it stops it. A job that ended by itself before the stop reached it keeps its own end.
 */

export interface DriveDeps extends CollectDeps {
  runs: RunQueue
  images: PlacedImages
  room: ContentRoom
  resultTurns: ResultTurns
  log: Log
  egressCapBytes?: number | undefined
  pause?: Patience['pause']
}

export interface DriveSignals {
  /** The worker goes away: the run is left as it is, for whoever takes it over. */
  detach: AbortSignal
  /** The row says `cancel_requested`. */
  cancel: AbortSignal
}

/** Carries a run that was just claimed to its end. Resolves also when the run is lost to another worker. */
export async function driveRun(deps: DriveDeps, run: ClaimedRun, signals: DriveSignals): Promise<void> {
  await new RunDrive(deps, run, signals).guarded((drive) => drive.fromClaim())
}

/** Goes on with a run that an earlier worker held. */
export async function resumeRun(deps: DriveDeps, run: ClaimedRun, signals: DriveSignals): Promise<void> {
  await new RunDrive(deps, run, signals).guarded((drive) => drive.fromUnknown())
}

/** What became of what a run left: stored, or not for a fault of ours, or for want of room. */
type Left = Collected | 'lost' | 'no_room'

interface Ending {
  exit: SandboxExit
  left: Left
}

/** Why an image could not be placed, as a slug. */
function reasonOf(error: unknown): string {
  if (error instanceof ImageUntrusted) return error.slug
  return error instanceof ObjectMissing ? 'missing' : 'refused'
}

/** A run that ends within this time of its start is told to have run when it ends: one write less. */
const soonMs = 50
/** What ends a sandbox each time before its program begins is no death of a process. */
export const claimsOfUnbegunMax = 5

const nothingLeft: Collected = { output: null, log: null, bundle: null, artifacts: [] }

/** Of our own making: no executor gives it. */
const cancelledSlug = 'run:cancelled'

class RunDrive {
  readonly #deps: DriveDeps
  readonly #run: ClaimedRun
  readonly #signals: DriveSignals
  readonly #patience: Patience
  /** The row told of a cancel before the signal did. */
  #cancelSeen: boolean
  /** Gives back the room that was taken for what the run left. */
  #giveRoomBack: (() => void) | undefined

  constructor(deps: DriveDeps, run: ClaimedRun, signals: DriveSignals) {
    this.#deps = deps
    this.#run = run
    this.#signals = signals
    this.#cancelSeen = run.state === 'cancel_requested'
    this.#patience = { signal: signals.detach, log: deps.log.child({ run: run.id }), pause: deps.pause }
  }

  /** A failure of ours ends the run rather than to leave it hanging; a detached worker leaves it as it is. */
  async guarded(work: (drive: RunDrive) => Promise<void>): Promise<void> {
    try {
      await work(this)
    } catch (error) {
      if (error instanceof Detached) return
      this.#patience.log.error({ error: describe(error) }, 'run failed on our side')
      await this.#stopQuietly()
      await this.#finish({ outcome: failed('platform_internal') }).catch((failure: unknown) => {
        if (!(failure instanceof Detached)) throw failure
      })
    } finally {
      this.#giveRoomBack?.()
    }
  }

  async fromClaim(): Promise<void> {
    const { runs } = this.#deps
    const job = await patiently('read the job', () => runs.findJob(this.#run), this.#patience)
    if (!job) return this.#finish({ outcome: failed('platform_internal', { detail: 'job_missing' }) })
    const prepare = () => prepareRun(this.#deps, job, this.#run)
    const prepared = await patiently('prepare', prepare, { ...this.#patience, waitsMs: shortPatienceMs })
    if (prepared.kind === 'refused') return this.#finish({ outcome: prepared.outcome })
    const start = await this.#start(prepared)
    if (start === 'no_host') return this.#unlessStarted(() => this.#giveBack())
    if (start !== 'started') return this.#unlessStarted(() => this.#finish({ outcome: start }))
    await this.#goOn()
  }

  async fromUnknown(): Promise<void> {
    if (this.#run.state === 'running') return this.#conclude(this.#ending())
    await this.#unlessStarted(() => this.#giveBack())
  }

  /** Where it stands then: `running` is not given back, and what is `lost` was no longer this worker's to give. */
  async #giveBack(): Promise<Standing> {
    if (this.#isCancelled()) return this.#endCancelled()
    const { runs } = this.#deps
    const standing = await patiently('requeue', () => runs.requeue(this.#run), this.#patience)
    return standing === 'cancel_requested' ? this.#endCancelled() : standing
  }

  async #endCancelled(): Promise<Standing> {
    return (await this.#isEndedBy({ outcome: failed('cancelled') })) ? 'cancelled' : 'lost'
  }

  /** Starts the sandbox, or says why it did not start. Tries for less time than the claim's lease has. */
  async #start(prepared: PreparedRun & { kind: 'sandbox' }): Promise<'started' | 'no_host' | RunOutcome> {
    const { executor, images } = this.#deps
    const { image, spec, openStdin, masked } = prepared
    const patience = { ...this.#patience, waitsMs: shortPatienceMs, waitsMsWhileAway: longPatienceMs }
    for (let lastTry = false; ; lastTry = true) {
      try {
        await patiently('place the image', () => images.ensure(image), patience)
      } catch (error) {
        if (error instanceof Detached) throw error
        if (error instanceof ExecutorUnavailable) return 'no_host'
        this.#patience.log.error({ error: describe(error) }, 'image cannot be placed')
        return failed('image_unavailable', { detail: reasonOf(error) })
      }
      try {
        const start = () => executor.start(spec, openStdin(), masked)
        await patiently('start', () => this.#unlessCancelled(start), patience)
        return 'started'
      } catch (error) {
        if (error instanceof ExecutorUnavailable) return 'no_host'
        if (!(error instanceof ExecutorRefused)) throw error
        if (error.slug === noCapacity || error.slug === unbegun || this.#isLate(error)) return 'no_host'
        if (error.slug === cancelledSlug) return failed('cancelled')
        this.#patience.log.warn({ slug: error.slug }, 'start refused')
        // It may have lost an image that it had.
        images.forget(image)
        if (lastTry) return failed('runtime_start_failed', { detail: error.slug })
      }
    }
  }

  /** The next claim is younger, unless the clocks of database and host are apart. */
  #isLate({ slug }: ExecutorRefused): boolean {
    return slug === claimExpired && this.#run.fence < claimsOfUnbegunMax
  }

  /** While a host is full or away, a run that waits for it can still be cancelled. */
  async #unlessCancelled(start: () => Promise<void>): Promise<void> {
    if (this.#isCancelled()) throw new ExecutorRefused(cancelledSlug, 'cancelled before the start')
    await start()
  }

  /** `never` is done only when it is proved that the sandbox was not started and never will be. */
  async #unlessStarted(never: () => Promise<unknown>): Promise<void> {
    const { executor } = this.#deps
    if (await patiently('forbid', () => executor.forbid(this.#run.sandboxId), this.#patience)) {
      // The mark stays: a start that is still under way somewhere must find it.
      await never()
      return
    }
    // What has ended is not told to run first: where its input was cut, it did not.
    if (await this.#isOver()) return this.#conclude(this.#ending())
    await this.#goOn()
  }

  async #isOver(): Promise<boolean> {
    const { executor } = this.#deps
    const sandboxes = await patiently('list', () => executor.list(), this.#patience)
    return sandboxes.some(({ id, state }) => id === this.#run.sandboxId && state === 'exited')
  }

  /** Waits for the end of a sandbox that was started; the row is told that it runs unless the end tells it soon. */
  async #goOn(): Promise<void> {
    const { runs } = this.#deps
    const ending = this.#ending()
    if (await this.#isSoon(ending)) return this.#conclude(ending)
    const standing = await patiently('mark running', () => runs.markRunning(this.#run), this.#patience)
    if (standing === 'lost') return this.#patience.log.warn('run belongs to another worker')
    if (standing === 'cancel_requested') {
      this.#cancelSeen = true
      await this.#stopQuietly()
    }
    await this.#conclude(ending)
  }

  /** Its failure is for whoever waits for it next. */
  async #isSoon(ending: Promise<unknown>): Promise<boolean> {
    const known = new AbortController()
    const isSettled = ending.then(
      () => true,
      () => true,
    )
    const isLate = (this.#deps.pause ?? sleep)(soonMs, known.signal).then(() => false)
    return Promise.race([isSettled, isLate]).finally(() => known.abort())
  }

  async #conclude(ending: Promise<Ending | undefined>): Promise<void> {
    const end = await ending
    if (!end) return this.#finish({ outcome: failed('host_lost', { detail: 'sandbox_unknown' }) })
    const { exit, left } = end
    if (this.#mayGoAgain(exit)) {
      const standing = await this.#giveBack()
      // Whoever holds the run by now still needs the record.
      if (standing === 'lost') return
      if (standing !== 'running') return this.#remove()
    }
    if (exit.cause === 'stopped' && !this.#isCancelled()) await this.#lookForCancel()
    const own = outcomeOf(exit, this.#isCancelled())
    const stored = typeof left === 'string' ? {} : { left }
    const outcome = typeof left === 'string' ? outcomeUnkept(own, left) : own
    // Whoever holds the run by now still needs what the sandbox left.
    if (!(await this.#isEndedBy({ outcome, exit, ...stored }))) return
    // A part may have been stored that no row names.
    if (left === 'lost')
      await discardCollected(this.#deps.storage, { runId: this.#run.id, sandboxId: this.#run.sandboxId })
    await this.#remove()
  }

  /** The exit record and what was left, or undefined when the executor never heard of the sandbox. */
  async #ending(): Promise<Ending | undefined> {
    const exit = await this.#exit()
    return exit && { exit, left: this.#mayGoAgain(exit) ? nothingLeft : await this.#collect(exit) }
  }

  /** Its program has not begun, and was not kept from it too often. */
  #mayGoAgain(exit: SandboxExit): boolean {
    return endedUnbegun(exit) && this.#run.fence < claimsOfUnbegunMax
  }

  async #exit(): Promise<SandboxExit | undefined> {
    const { cancel, detach } = this.#signals
    const { sandboxId } = this.#run
    const stop = () => void this.#stopQuietly()
    cancel.addEventListener('abort', stop, { once: true })
    if (this.#isCancelled()) stop()
    try {
      return await patiently('wait', () => this.#deps.executor.wait(sandboxId, detach), this.#patience)
    } catch (error) {
      if (error instanceof SandboxUnknown) return undefined
      throw error
    } finally {
      cancel.removeEventListener('abort', stop)
    }
  }

  async #collect(exit: SandboxExit): Promise<Left> {
    const source = { runId: this.#run.id, sandboxId: this.#run.sandboxId, exit }
    const takeRoom = () => this.#deps.room.take(this.#run.companyId, contentBytes(exit))
    this.#giveRoomBack = await patiently('take room', takeRoom, this.#patience)
    if (!this.#giveRoomBack) return 'no_room'
    const endTurn = await this.#deps.resultTurns.take(
      this.#run.companyId,
      contentBytes(exit),
      this.#signals.detach,
    )
    try {
      const patience = { ...this.#patience, waitsMs: longPatienceMs }
      return await patiently('collect', () => collectRun(this.#deps, source), patience)
    } catch (error) {
      if (error instanceof Detached) throw error
      this.#patience.log.error({ error: describe(error) }, 'what the run left cannot be stored')
      return 'lost'
    } finally {
      endTurn()
    }
  }

  async #finish(end: RunEnd): Promise<void> {
    await this.#isEndedBy(end)
  }

  /** Ends the run; false when it had ended or is another worker's. */
  async #isEndedBy(end: RunEnd): Promise<boolean> {
    const ended = await patiently('finish', () => this.#deps.runs.finish(this.#run, end), this.#patience)
    if (!ended) this.#patience.log.warn({ state: end.outcome.state }, 'run had ended or moved on already')
    return ended
  }

  /** What stays behind is swept later. */
  async #remove(): Promise<void> {
    await this.#deps.executor.remove(this.#run.sandboxId).catch((error: unknown) => {
      this.#patience.log.warn({ error: describe(error) }, 'sandbox not removed yet')
    })
  }

  async #stopQuietly(): Promise<void> {
    const { executor } = this.#deps
    await patiently('stop', () => executor.stop(this.#run.sandboxId), this.#patience).catch(
      (error: unknown) => {
        if (error instanceof SandboxUnknown || error instanceof Detached) return
        this.#patience.log.error({ error: describe(error) }, 'sandbox cannot be stopped')
      },
    )
  }

  /** Who stopped it may be an earlier holder, who heard of a cancel before this one. */
  async #lookForCancel(): Promise<void> {
    const { runs } = this.#deps
    const look = () => runs.cancelRequestedAmong([this.#run.id])
    if ((await patiently('look for a cancel', look, this.#patience)).length > 0) this.#cancelSeen = true
  }

  #isCancelled(): boolean {
    return this.#signals.cancel.aborted || this.#cancelSeen
  }
}
