import { ExecutorRefused, ExecutorUnavailable, SandboxUnknown } from '../../agent/port/errors.ts'
import { neverStarted, noCapacity } from '../../agent/port/refusal-causes.ts'
import { programNeverStarted, type SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { SandboxSummary } from '../../agent/port/sandboxes.ts'
import { HostDisk, type HostMarks, type MakeMarks } from './host-marks.ts'
import type { Rules } from './rules.ts'
import type { Program } from './simulated-runs.ts'
import type { Timeline } from './timeline.ts'

/** An open request for the exit record: resolved with it, or rejected when the agent restarts. */
interface Waiter {
  resolve: (exit: SandboxExit) => void
  reject: () => void
}

interface Sandbox {
  exit: SandboxExit | undefined
  waiters: Waiter[]
}

/** Events of programs, for the checks of the world. */
export interface HostEvents {
  started(sandboxId: string): void
  /** `own`: by itself or at its deadline, not by a stop or a fault. */
  ended(sandboxId: string, own: boolean): void
}

export const outputText = '"done"'

/**
 * A modelled host and agent with the guarantees of the executor port: an id starts at most once, `forbid`
 * is correct and permanent, results stay until `remove`. Restarts lose none of that, and an operation that could not be
 * written was not done. Its marks are modelled too, or the agent's production code (`agent-marks.ts`).
 */
export class ModelledHost {
  #awayUntilMs = 0
  #fullUntilMs = 0
  readonly #rules: Rules
  readonly #timeline: Timeline
  readonly #events: HostEvents
  readonly #disk: HostDisk
  readonly #marks: HostMarks
  readonly #known = new Map<string, Sandbox>()

  constructor(rules: Rules, timeline: Timeline, parts: { events: HostEvents; makeMarks: MakeMarks }) {
    this.#rules = rules
    this.#timeline = timeline
    this.#events = parts.events
    this.#disk = new HostDisk(timeline)
    this.#marks = parts.makeMarks(rules, timeline, this.#disk)
  }

  close(): void | Promise<void> {
    return this.#marks.close()
  }

  get isUnreachable(): boolean {
    return this.#timeline.nowMs < this.#awayUntilMs
  }

  /** Sandboxes that live or have unremoved results. */
  get residue(): string[] {
    return [...this.#known.keys()]
  }

  restart(awayMs: number): void {
    this.#awayUntilMs = this.#timeline.nowMs + awayMs
    for (const { waiters } of this.#known.values()) for (const { reject: cut } of waiters.splice(0)) cut()
    this.#marks.restart()
  }

  /** Fails writes for a while, and then restarts the agent with probability 1/2. */
  failWrites(forMs: number): void {
    const { draw } = this.#timeline
    const badUntilMs = this.#disk.fail(forMs)
    if (draw.chance(0.5)) this.#timeline.at(badUntilMs, () => this.restart(draw.below(500)))
  }

  /** Refuses starts for a while. */
  fill(forMs: number): void {
    this.#fullUntilMs = this.#timeline.nowMs + forMs
  }

  async start({ id, claimedAt, limits }: SandboxSpec, program: Program): Promise<void> {
    const { timeoutMs } = limits
    const known = this.#known.get(id)
    if (!known) await this.#marks.requireStartable(id, claimedAt)
    if (known?.exit && programNeverStarted(known.exit)) throw new ExecutorRefused(neverStarted, 'cut')
    if (known && this.#rules.startsOnce) return
    if (this.#timeline.nowMs < this.#fullUntilMs) throw new ExecutorRefused(noCapacity, 'full')
    if (!this.#timeline.calm && this.#timeline.draw.chance(0.02)) this.#dieBeforeStartSignal(id)
    if (!this.#timeline.calm && this.#timeline.draw.chance(0.02)) this.#dieBeforeInputEnd(id)
    this.#disk.write()
    const sandbox: Sandbox = { exit: undefined, waiters: [] }
    this.#known.set(id, sandbox)
    this.#events.started(id)
    const ranMs = Math.min(program.seconds * 1000, timeoutMs)
    const exit =
      program.seconds * 1000 > timeoutMs ? exitOf('deadline', null) : exitOf('exited', program.exitCode)
    this.#timeline.at(this.#timeline.nowMs + ranMs, () => this.#end(id, sandbox, exit, true))
  }

  /** The agent dies between the start record and the start signal. */
  #dieBeforeStartSignal(id: string): never {
    if (!this.#rules.startsBySignal) this.#known.set(id, { exit: exitOf('start_failed', null), waiters: [] })
    this.restart(this.#timeline.draw.below(500))
    throw new ExecutorUnavailable('the host broke off')
  }

  /** The agent dies while the boot program reads its input, or the runtime dies at its start. The job must not have started. */
  #dieBeforeInputEnd(id: string): never {
    if (!this.#rules.startsAfterWholeInput) this.#events.started(id)
    const isCut = this.#timeline.draw.chance(0.5)
    const exit = isCut ? exitOf('lost', null, 'input_cut') : exitOf('start_failed', null, 'runtime')
    this.#known.set(id, { exit, waiters: [] })
    this.restart(this.#timeline.draw.below(500))
    throw new ExecutorUnavailable('the host broke off')
  }

  /** Notifies the waiter of the exit record. Throws if the id is unknown. */
  whenEnded(id: string, waiter: Waiter): void {
    const sandbox = this.#find(id)
    if (sandbox.exit) waiter.resolve(sandbox.exit)
    else sandbox.waiters.push(waiter)
  }

  stop(id: string): void {
    const sandbox = this.#find(id)
    if (this.#rules.stops) this.#end(id, sandbox, exitOf('stopped', null), false)
  }

  /** The shim of a sandbox dies, and its program with it. */
  loseShim(): void {
    const live = [...this.#known].filter(([, { exit }]) => !exit)
    if (live.length === 0) return
    const [id, sandbox] = this.#timeline.draw.of(live)
    this.#end(id, sandbox, exitOf('lost', null), false)
  }

  async forbid(id: string): Promise<boolean> {
    if (this.#known.has(id)) return false
    const mark = await this.#marks.find(id)
    if (mark) return mark === 'forbidden'
    await this.#marks.forbid(id)
    return true
  }

  output(id: string): string {
    const sandbox = this.#find(id)
    if (sandbox.exit?.files.output?.status !== 'present') throw new SandboxUnknown(`${id}/output`)
    return outputText
  }

  async remove(id: string): Promise<void> {
    const sandbox = this.#known.get(id)
    if (!sandbox) return
    if (!sandbox.exit) throw new ExecutorRefused('running', `sandbox ${id} has not ended`)
    await this.#marks.recordRemoved(id)
    this.#known.delete(id)
  }

  list(): SandboxSummary[] {
    const forbidden = this.#marks.forbidden().map((id) => ({ id, state: 'forbidden' as const }))
    const sandboxes = [...this.#known].map(([id, { exit }]): SandboxSummary => {
      return { id, state: exit ? 'exited' : 'running' }
    })
    return [...sandboxes, ...forbidden]
  }

  #end(id: string, sandbox: Sandbox, exit: SandboxExit, own: boolean): void {
    if (sandbox.exit) return
    sandbox.exit = exit
    this.#events.ended(id, own)
    for (const { resolve: tell } of sandbox.waiters.splice(0)) tell(exit)
    if (!this.#rules.keepsResults) this.#known.delete(id)
  }

  #find(id: string): Sandbox {
    const sandbox = this.#known.get(id)
    if (!sandbox) throw new SandboxUnknown(id)
    return sandbox
  }
}

/** Arbitrary: no rule depends on times in exit records. */
const someTime = new Date(0).toISOString()

function exitOf(cause: SandboxExit['cause'], exitCode: number | null, detail = ''): SandboxExit {
  const left = cause === 'exited'
  return {
    cause,
    exitCode,
    signal: null,
    detail,
    startedAt: cause === 'lost' ? null : someTime,
    endedAt: someTime,
    oomKills: 0,
    pidsLimitHits: 0,
    workspaceFull: false,
    sharedMemoryFull: false,
    peakMemoryBytes: 0,
    cpuMs: 0,
    log: { totalBytes: 0, keptBytes: 0 },
    files: {
      output: left ? { status: 'present', byteSize: outputText.length } : { status: 'absent', byteSize: 0 },
    },
    tree: null,
    folder: null,
    network: { ingressBytes: 0, egressBytes: 0 },
  }
}
