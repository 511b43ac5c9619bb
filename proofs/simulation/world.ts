import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'
import { createLog } from '../../server/base/logging.ts'
import { SeededRandom } from '../../server/base/seeded-random.ts'
import { runCapacity } from '../../server/capacity/run-capacity.ts'
import type { QueueNotifications } from '../../server/runs/drive/run-queue.ts'
import { startRunWorker } from '../../server/runs/drive/run-worker.ts'
import { startTriggeredRuns } from '../../server/runs/triggers/start-triggered-runs.ts'
import { unsignedImages } from '../../testing/unsigned-images.ts'
import { checkWorld, isDeclaredLost } from './check-world.ts'
import { Heartbeats } from './heartbeats.ts'
import { type MakeMarks, ModelledMarks } from './host-marks.ts'
import { ModelledHost } from './modelled-host.ts'
import { ModelledRuns } from './modelled-runs.ts'
import { ModelledTriggers } from './modelled-triggers.ts'
import { hostOf, type Listeners, queueOf, storageOf } from './ports.ts'
import type { Rules } from './rules.ts'
import type { RunsEnvironment, SimulatedRuns } from './simulated-runs.ts'
import { type Actor, newActor, type Outage, Timeline } from './timeline.ts'

const log = createLog('simulation', 'silent')
const pollIntervalMs = 30_000
const faultPhaseMs = 60_000
/** Longer than every lease and deadline. */
const longestMs = 3 * 3_600_000
const stepsMax = 20_000
/** Worlds without row events, or without an outage of the database, are the same as if there were none. */
const eventSeedOffset = 1_000_000_007
const outageSeedOffset = 2_000_000_011
/** Worlds whose workers claim runs one by one are the same as if there were no batches. */
const batchSeedOffset = 3_000_000_019
/** The companies that submit runs. */
export const companies = ['acme', 'globex'] as const

const executors = ['1'.repeat(32), '2'.repeat(32)]

export type MakeRuns = (rules: Rules, environment: RunsEnvironment) => SimulatedRuns

const modelledRuns: MakeRuns = (rules, environment) => new ModelledRuns(rules, environment)

const modelledMarks: MakeMarks = (rules, timeline, disk) => new ModelledMarks(rules, timeline, disk)

/** Replacements for models. */
export interface WorldParts {
  makeRuns?: MakeRuns
  makeMarks?: MakeMarks
}

/**
 * One simulated service with its workers and its faults, all drawn from a seed: submitted and cancelled runs, processes
 * that die or freeze, lost requests and responses. The workers are production code. After a minute of faults
 * the world runs without faults until it settles, however long leases and deadlines take.
 */
export class World {
  readonly faults: string[] = []
  readonly #draw: SeededRandom
  readonly #rules: Rules
  /** Ids of the executors, each with a host and a worker. */
  readonly #names: readonly string[]
  readonly #timeline: Timeline
  readonly #runs: SimulatedRuns
  /** Row events; in some worlds there are none, and nobody looks for them. */
  readonly #triggers: ModelledTriggers
  readonly #eventCount: number
  readonly #hosts: ReadonlyMap<string, ModelledHost>
  readonly #listeners: Listeners = new Map()
  readonly #claims: ReturnType<typeof drawClaims>
  /** The worker of each executor. */
  readonly #workers = new Map<string, Actor>()
  /** All processes, by the name of the worker. */
  readonly #processes = new Map<string, Actor>()
  readonly #heartbeats: Heartbeats
  /** By run: the number of starts of its program, and how the latest one ended. */
  readonly #starts = new Map<string, number>()
  readonly #ends = new Map<string, 'own' | 'forced'>()

  constructor(seed: number, rules: Rules, parts: WorldParts = {}) {
    const { makeRuns = modelledRuns, makeMarks = modelledMarks } = parts
    this.#draw = new SeededRandom(seed)
    this.#rules = rules
    this.#claims = drawClaims(seed)
    this.#names = executors.slice(0, this.#draw.chance(0.3) ? 1 : 2)
    this.#timeline = new Timeline(this.#draw)
    this.#timeline.outage = drawOutage(new SeededRandom(seed + outageSeedOffset))
    this.#heartbeats = new Heartbeats(this.#timeline)
    const fault = (text: string) => void this.faults.push(text)
    this.#timeline.afterEffect = (actor) => this.#failCaller(actor)
    this.#timeline.afterSending = (actor) => this.#failSender(actor)
    this.#runs = makeRuns(rules, {
      now: () => this.#timeline.nowMs,
      onFault: fault,
      isHolding: (worker) => this.#isHolding(worker),
      lastBeatMs: (worker) => this.#heartbeats.lastMs(this.#processOf(worker)),
      heldSinceMs: (worker) => this.#heartbeats.heldSinceMs(this.#processOf(worker)),
    })
    this.#triggers = new ModelledTriggers({
      rules,
      timeline: this.#timeline,
      runs: this.#runs,
      onFault: fault,
      onQueued: () => this.#notify((notify) => notify.queued()),
    })
    const drawEvents = new SeededRandom(seed + eventSeedOffset)
    this.#eventCount = drawEvents.chance(0.3) ? 1 + drawEvents.below(5) : 0
    const events = {
      started: (sandboxId: string) => this.#recordStart(runOf(sandboxId)),
      ended: (sandboxId: string, own: boolean) =>
        void this.#ends.set(runOf(sandboxId), own ? 'own' : 'forced'),
    }
    this.#hosts = new Map(
      this.#names.map((name) => [name, new ModelledHost(rules, this.#timeline, { events, makeMarks })]),
    )
  }

  /** Runs the world and returns its faults. */
  async run(): Promise<string[]> {
    try {
      return await this.#run()
    } finally {
      for (const host of this.#hosts.values()) await host.close()
    }
  }

  async #run(): Promise<string[]> {
    for (const name of this.#names) await this.#startWorker(name)
    this.#planLoad()
    this.#planEvents()
    this.#planFaults()
    this.#timeline.at(faultPhaseMs, () => {
      this.#timeline.calm = true
    })
    for (const name of this.#names) this.#startLater(name, faultPhaseMs)
    for (let steps = 0; !this.#isOver(); steps += 1) {
      if (steps > stepsMax || this.#timeline.nowMs > longestMs || !(await this.#timeline.step())) break
      // Lets everything that follows from one event run before the next.
      await new Promise(setImmediate)
      if (this.faults.length > 0) return this.faults
    }
    this.faults.push(
      ...checkWorld(this.#runs, {
        hosts: [...this.#hosts.values()],
        starts: this.#starts,
        ends: this.#ends,
        events: this.#triggers.events.values(),
      }),
    )
    return this.faults
  }

  #isOver(): boolean {
    const { calm, busy } = this.#timeline
    if (!calm || busy) return false
    return (
      this.#triggers.areHandled &&
      [...this.#runs.rows.values()].every(({ state }) => isTerminal(runMachine, state)) &&
      [...this.#hosts.values()].every(({ residue }) => residue.length === 0)
    )
  }

  #recordStart(run: string): void {
    const starts = (this.#starts.get(run) ?? 0) + 1
    this.#starts.set(run, starts)
    this.#ends.delete(run)
    if (starts > 1) this.faults.push(`${run} was started ${starts} times`)
    const row = this.#runs.rows.get(run)
    if (row && isTerminal(runMachine, row.state) && !isDeclaredLost(row))
      this.faults.push(`${run} was started after its end`)
  }

  /** Whether the worker is alive and was never frozen. */
  #isHolding(worker: string): boolean {
    const actor = this.#processes.get(worker)
    return actor?.alive === true && actor.frozenUntilMs === 0
  }

  #processOf(worker: string): Actor {
    const actor = this.#processes.get(worker)
    if (!actor) throw new Error(`no process ${worker}`)
    return actor
  }

  /** A process that starts waits for the database. */
  #startLater(name: string, atMs: number): void {
    this.#timeline.whenDatabaseAnswers(atMs, async () => {
      if (!this.#workers.get(name)?.alive) await this.#startWorker(name)
    })
  }

  async #startWorker(name: string): Promise<void> {
    const actor = newActor(this.#timeline.nowMs)
    const worker = `worker ${this.#processes.size}`
    const driver = { executor: name, worker }
    this.#workers.set(name, actor)
    this.#processes.set(worker, actor)
    const [runs, host, timeline] = [this.#runs, this.#hostOf(name), this.#timeline]
    await runs.drive(driver)
    void startRunWorker({
      runs: queueOf(actor, { runs, timeline, listeners: this.#listeners, rules: this.#rules, worker }),
      executor: hostOf(actor, { host, runs, timeline }),
      storage: storageOf(actor, timeline),
      images: unsignedImages,
      log,
      driver,
      capacity: runCapacity({ slots: 1 + this.#draw.below(3) }),
      ...this.#claims,
      pollIntervalMs,
      clock: { now: () => new Date(timeline.nowMs) },
      pause: (ms, signal) => timeline.pause(actor, ms, signal, ms >= pollIntervalMs),
    })
    this.#startTriggers(actor)
  }

  #startTriggers(actor: Actor): void {
    if (this.#eventCount === 0) return
    const timeline = this.#timeline
    startTriggeredRuns({
      events: this.#triggers.portOf(actor),
      clock: { now: () => new Date(timeline.nowMs) },
      log,
      mayStart: async () => true,
      pollIntervalMs,
      pause: (ms, signal) => timeline.pause(actor, ms, signal, true),
    })
  }

  #hostOf(name: string): ModelledHost {
    const host = this.#hosts.get(name)
    if (!host) throw new Error(`no host ${name}`)
    return host
  }

  #planLoad(): void {
    const draw = this.#draw
    const count = 1 + draw.below(4)
    for (let number = 0; number < count; number += 1) {
      const id = `run_${number.toString(16).padStart(32, '0')}`
      const endless = draw.chance(0.15)
      const seconds = draw.below(draw.chance(0.3) ? 250 : 20)
      const program = { seconds: endless ? 1_000_000 : seconds, exitCode: draw.chance(0.3) ? 3 : 0 }
      const submittedMs = draw.below(faultPhaseMs / 3)
      const timeoutSeconds = endless ? 50_000 : 240
      const companyId = draw.of(companies)
      this.#timeline.whenDatabaseAnswers(submittedMs, async () => {
        await this.#runs.submit({ id, companyId, program, timeoutSeconds })
        this.#notify((notify) => notify.queued())
      })
      if (endless || draw.chance(0.3)) {
        this.#timeline.whenDatabaseAnswers(submittedMs + draw.below(faultPhaseMs / 2), async () => {
          await this.#runs.cancel(id)
          this.#notify((notify) => notify.cancelled(id))
        })
      }
    }
  }

  #planEvents(): void {
    for (let number = 0; number < this.#eventCount; number += 1) {
      const companyId = this.#draw.of(companies)
      const program = { seconds: this.#draw.below(20), exitCode: 0 }
      this.#timeline.whenDatabaseAnswers(this.#draw.below(faultPhaseMs / 2), () =>
        this.#triggers.record(companyId, program),
      )
    }
  }

  /** Notifies listeners. Any notification may be lost. */
  #notify(say: (notify: QueueNotifications) => void): void {
    for (const [actor, notify] of this.#listeners) {
      if (this.#draw.chance(0.1)) continue
      const hear = () => {
        if (actor.alive && actor.frozenUntilMs <= this.#timeline.nowMs) say(notify)
      }
      this.#timeline.at(this.#timeline.nowMs + this.#draw.below(20), hear)
    }
  }

  #planFaults(): void {
    const draw = this.#draw
    const sometimes = (most: number, happen: () => void) => {
      for (let count = draw.below(most + 1); count > 0; count -= 1)
        this.#timeline.at(draw.below(faultPhaseMs), happen)
    }
    sometimes(3, () => this.#killWorker(draw.of(this.#names)))
    sometimes(1, () => this.#freezeWorker(draw.of(this.#names)))
    sometimes(2, () => this.#anyHost().restart(draw.below(3000)))
    // Longer than a worker retries, so that it requeues its runs.
    if (draw.chance(0.1)) sometimes(1, () => this.#anyHost().fill(draw.below(1_200_000)))
    if (draw.chance(0.2)) sometimes(1, () => this.#anyHost().loseShim())
  }

  #anyHost(): ModelledHost {
    return this.#hostOf(this.#draw.of(this.#names))
  }

  /** Sometimes, between a request and its response, the worker dies or freezes, or the agent restarts. */
  #failCaller(caller: Actor): void {
    if (!this.#draw.chance(0.03)) return
    const name = this.#nameOf(caller)
    if (!name) return
    if (this.#draw.chance(0.3)) this.#hostOf(name).restart(this.#draw.below(500))
    else if (this.#draw.chance(0.5)) this.#killWorker(name)
    else this.#freezeWorker(name)
  }

  /** Sometimes the worker dies after sending a request. */
  #failSender(caller: Actor): void {
    const name = this.#draw.chance(0.02) && this.#nameOf(caller)
    if (name) this.#killWorker(name)
  }

  #nameOf(worker: Actor): string | undefined {
    return this.#names.find((one) => this.#workers.get(one) === worker)
  }

  /** Kills a worker, whose executor has none for a moment, or for longer than a heartbeat; sometimes the disk fails with it. */
  #killWorker(name: string): void {
    const actor = this.#workers.get(name)
    if (!actor?.alive) return
    actor.alive = false
    this.#heartbeats.end(actor)
    if (this.#draw.chance(0.3)) this.#hostOf(name).failWrites(this.#draw.below(6000))
    this.#listeners.delete(actor)
    const awayMs = this.#draw.chance(0.7) ? this.#draw.below(5000) : this.#draw.below(60_000)
    this.#startLater(name, this.#timeline.nowMs + awayMs)
  }

  /** Freezes a worker for a moment, or for longer than a lease. */
  #freezeWorker(name: string): void {
    const actor = this.#workers.get(name)
    const forMs = this.#draw.chance(0.5) ? this.#draw.below(10_000) : 1_100_000 + this.#draw.below(400_000)
    if (!actor?.alive) return
    actor.frozenUntilMs = this.#timeline.nowMs + forMs
    this.#heartbeats.end(actor)
    if (this.#draw.chance(0.5)) this.#replaceWorker(name, actor)
  }

  /** Starts another worker on the executor of a frozen one, which ends soon after it finds its lease lost. */
  #replaceWorker(name: string, frozen: Actor): void {
    this.#timeline.whenDatabaseAnswers(this.#timeline.nowMs + this.#draw.below(5000), async () => {
      if (this.#workers.get(name) !== frozen) return
      await this.#startWorker(name)
      this.#timeline.at(frozen.frozenUntilMs + this.#draw.below(5000), () => {
        frozen.alive = false
        this.#listeners.delete(frozen)
      })
    })
  }
}

const runOf = (sandboxId: string): string => sandboxId.slice(0, sandboxId.lastIndexOf('_'))

/** In some worlds workers claim in batches, and a company may have few live runs. */
function drawClaims(seed: number) {
  const draw = new SeededRandom(seed + batchSeedOffset)
  if (!draw.chance(0.3)) return { kind: 'host', companyConcurrency: 50 } as const
  return { kind: 'kubernetes', companyConcurrency: 1 + draw.below(2) } as const
}

export const hasBatches = (seed: number): boolean => drawClaims(seed).kind === 'kubernetes'

/** In some worlds the database is away once, mostly until leases of runs have expired. */
function drawOutage(draw: SeededRandom): Outage | undefined {
  if (!draw.chance(0.15)) return undefined
  const fromMs = faultPhaseMs / 3 + draw.below(faultPhaseMs / 3)
  const forMs = draw.chance(0.3) ? draw.below(60_000) : 1_000_000 + draw.below(400_000)
  return { fromMs, untilMs: fromMs + forMs }
}
