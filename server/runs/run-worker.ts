import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import type { Executor } from '../executor/port.ts'
import { LogOffers } from '../live-logs/log-offers.ts'
import type { Listener } from '../queue/listener.ts'
import type { ObjectStorage } from '../storage/port.ts'
import type { ClaimedRun, TakenRun } from './claim-store.ts'
import { ContentRoom } from './content-room.ts'
import { type DriveSignals, driveRun, resumeRun } from './drive-run.ts'
import { endForeignRun } from './end-foreign-run.ts'
import { Detached, describe, patiently } from './patience.ts'
import { type ImageSource, PlacedImages } from './placed-images.ts'
import { ResultTurns } from './result-turns.ts'
import type { RunPlaces } from './run-places.ts'
import type { RunQueue } from './run-queue.ts'
import { sweepSandboxes } from './sweep-sandboxes.ts'

export interface RunWorkerOptions {
  runs: RunQueue
  executor: Executor
  storage: ObjectStorage
  images: ImageSource
  log: Log
  /** The id of its machine, which has no other worker: it finds its own runs again by it. */
  name: string
  /** Runs in flight at once, and how companies share them. */
  places: RunPlaces
  companyConcurrency: number
  /** Bytes that a run may send; without, no run has a network. */
  egressCapBytes?: number | undefined
  /** How often it looks without having been told to. */
  lookEveryMs?: number
  /** How it waits, where that is not the machine's clock. */
  pause?: typeof sleep
}

interface Flight {
  cancel: AbortController
  done: Promise<void>
}

const lookEveryMsDefault = 5000
/** Looks between two rounds over expired leases and what sandboxes left behind. */
const looksPerRound = 6

/**
 * Takes queued runs in their turn and carries them to their end.
 *
 * It is told by the database when a run was queued or a cancel asked for, so nothing between a submission and its start
 * waits for a timer; the slow look only makes up for notifications that a broken connection lost. Claims are made one
 * after another, which keeps the turn exact. On its start it takes back what it held when it last went away.
 */
export class RunWorker {
  readonly #options: RunWorkerOptions
  readonly #images: PlacedImages
  readonly #logs: LogOffers
  readonly #room: ContentRoom
  readonly #resultTurns = new ResultTurns()
  readonly #detach = new AbortController()
  /** Runs in flight by id, with the way to tell them of a cancel. */
  readonly #flights = new Map<string, Flight>()
  #listener: Listener | undefined
  #loops: Promise<unknown> = Promise.resolve()
  #wake: () => void = () => undefined
  #woken = false
  /** Nothing else was queued at the last claim, and nothing was told since: a place that gets free asks for nobody. */
  #isQueueEmpty = false
  /** Times that the queue's news came. */
  #news = 0
  /** A claim may have been made whose answer never came: such a run is its own and in nobody's hands. */
  #unsure = false

  constructor(options: RunWorkerOptions) {
    this.#options = options
    this.#images = new PlacedImages(options.executor, options.images)
    this.#room = new ContentRoom((companyId) => options.runs.roomOf(companyId))
    this.#logs = new LogOffers({ ...options, write: options.runs.writeLiveLog })
  }

  /** Resolves once the runs it held before are in its hands again and it listens for new ones. */
  async start(): Promise<void> {
    const { runs, name, log, pause } = this.#options
    const patience = { signal: this.#detach.signal, log, pause }
    const held = await patiently('take back runs', () => runs.takeOver(name, 'own'), patience)
    this.#resume(held)
    this.#listener = runs.listen({
      look: () => {
        this.#news += 1
        this.#isQueueEmpty = false
        this.#look()
      },
      cancelled: (id) => this.#flights.get(id)?.cancel.abort(),
      logWanted: (id) => this.#logs.wanted(id),
    })
    this.#loops = Promise.all([this.#claimWhenWoken(), this.#lookFromTimeToTime()])
  }

  /** Claims nothing more and lets go of what runs: the sandboxes go on, and the next worker of this name goes on with them. */
  async stop(): Promise<void> {
    this.#detach.abort()
    this.#logs.stop()
    this.#look()
    await this.#listener?.stop()
    await this.#loops
    await Promise.all([...this.#flights.values()].map((flight) => flight.done))
  }

  get inFlight(): number {
    return this.#flights.size
  }

  #look(): void {
    this.#woken = true
    this.#wake()
  }

  async #claimWhenWoken(): Promise<void> {
    const { signal } = this.#detach
    while (!signal.aborted) {
      if (!this.#woken) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      this.#woken = false
      await this.#fillSlots()
    }
  }

  async #fillSlots(): Promise<void> {
    const { runs, name: worker, places, companyConcurrency, log } = this.#options
    try {
      await this.#takeBack()
      while (this.#flights.size < places.slots && !this.#detach.signal.aborted) {
        this.#isQueueEmpty = false
        const news = this.#news
        const run = await runs.claimNext({ worker, companyConcurrency, places })
        if (!run) return
        this.#isQueueEmpty = run.isLast && this.#news === news
        this.#launch(run, driveRun)
        if (this.#isQueueEmpty) return
      }
    } catch (error) {
      // The next look tries again; a database that is away also breaks the listener, which looks when it is back.
      log.warn({ error: describe(error) }, 'cannot claim')
      this.#unsure = true
    }
  }

  /** Between two claims, so that none is under way whose answer is still to come. */
  async #takeBack(): Promise<void> {
    if (!this.#unsure) return
    const { runs, name } = this.#options
    const held = await runs.takeOver(name, 'own', [...this.#flights.keys()])
    this.#unsure = false
    this.#resume(held)
  }

  /** Whether a run of another machine was started, this machine's executor cannot know. */
  #resume(runs: readonly TakenRun[]): void {
    for (const run of runs) this.#launch(run, run.claimedHere ? resumeRun : endForeignRun)
  }

  #launch(run: ClaimedRun, drive: typeof driveRun): void {
    const { runs, executor, storage, log, egressCapBytes, pause } = this.#options
    const cancel = new AbortController()
    const withdrawLog = this.#logs.offer(run.id, run.sandboxId)
    const signals: DriveSignals = { detach: this.#detach.signal, cancel: cancel.signal }
    const deps = {
      runs,
      executor,
      storage,
      images: this.#images,
      room: this.#room,
      resultTurns: this.#resultTurns,
      log,
      egressCapBytes,
      pause,
    }
    const done = drive(deps, run, signals)
      .catch((error: unknown) => log.error({ error: describe(error), run: run.id }, 'run left hanging'))
      .finally(() => {
        withdrawLog()
        // A run that was given back may be in the air again by now.
        if (this.#flights.get(run.id)?.cancel === cancel) this.#flights.delete(run.id)
        if (!this.#isQueueEmpty) this.#look()
      })
    this.#flights.set(run.id, { cancel, done })
  }

  async #lookFromTimeToTime(): Promise<void> {
    const { signal } = this.#detach
    const { lookEveryMs: everyMs = lookEveryMsDefault, pause = sleep } = this.#options
    for (let looks = 0; !signal.aborted; looks += 1) {
      try {
        await this.#hearCancels()
        if (looks % looksPerRound === 0) await this.#round()
      } catch (error) {
        if (!(error instanceof Detached)) this.#options.log.warn({ error: describe(error) }, 'look failed')
      }
      this.#look()
      await pause(everyMs, signal)
    }
  }

  async #hearCancels(): Promise<void> {
    const ids = await this.#options.runs.cancelRequestedAmong([...this.#flights.keys()])
    for (const id of ids) this.#flights.get(id)?.cancel.abort()
  }

  async #round(): Promise<void> {
    const { runs, name, executor } = this.#options
    this.#unsure = true
    const orphans = await runs.takeOver(name, 'expired')
    this.#resume(orphans.filter(({ id }) => !this.#flights.has(id)))
    await sweepSandboxes(runs, executor)
  }
}
