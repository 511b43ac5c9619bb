import {
  ExecutorRefused,
  ExecutorUnavailable,
  endedUnbegun,
  noCapacity,
  type SandboxExit,
  type SandboxSummary,
  SandboxUnknown,
  unbegun,
} from '../executor/port.ts'
import type { Rules } from './rules.ts'
import type { Program } from './simulated-runs.ts'
import type { Timeline } from './timeline.ts'

/** An open request for the exit record: answered by it, or cut when the agent goes. */
interface Waiter {
  tell: (exit: SandboxExit) => void
  cut: () => void
}

interface Sandbox {
  exit: SandboxExit | undefined
  waiters: Waiter[]
}

/** What the host tells of a program's life, for those who judge it. */
export interface HostEvents {
  started(sandboxId: string): void
  /** `own`: by itself or by its deadline; nobody had a hand in it. */
  ended(sandboxId: string, own: boolean): void
}

export const outputText = '"done"'

/**
 * A host with its agent, keeping the promises of the executor port: an id starts at most once for ever, `forbid`
 * answers truly and lasts, what a sandbox left stays until `remove`. Restarts lose nothing of that, and what could not be
 * written down was not done.
 */
export class ModelledHost {
  #awayUntilMs = 0
  #fullUntilMs = 0
  #badDiskUntilMs = 0
  readonly #rules: Rules
  readonly #timeline: Timeline
  readonly #events: HostEvents
  readonly #known = new Map<string, Sandbox | 'forbidden' | 'removed'>()
  /** When the marks were made that are on disk. */
  readonly #marked = new Map<string, number>()

  constructor(rules: Rules, timeline: Timeline, events: HostEvents) {
    this.#rules = rules
    this.#timeline = timeline
    this.#events = events
  }

  get isAway(): boolean {
    return this.#timeline.nowMs < this.#awayUntilMs
  }

  /** Sandboxes that live or whose results nobody has removed. */
  get leftovers(): string[] {
    return [...this.#known].filter(([, one]) => typeof one !== 'string').map(([id]) => id)
  }

  restart(awayMs: number): void {
    this.#awayUntilMs = this.#timeline.nowMs + awayMs
    for (const one of this.#known.values()) {
      if (typeof one !== 'string') for (const { cut } of one.waiters.splice(0)) cut()
    }
    for (const [id, one] of this.#known)
      if (typeof one === 'string' && !this.#marked.has(id)) this.#known.delete(id)
  }

  /** Nothing can be written for a while, after which as often as not somebody restarts the agent. */
  failWrites(forMs: number): void {
    const { draw, nowMs } = this.#timeline
    this.#badDiskUntilMs = nowMs + forMs
    if (draw.chance(0.5)) this.#timeline.at(this.#badDiskUntilMs, () => this.restart(draw.below(500)))
  }

  /** Takes nothing more for a while. */
  fill(forMs: number): void {
    this.#fullUntilMs = this.#timeline.nowMs + forMs
  }

  start(id: string, timeoutMs: number, program: Program): void {
    const known = this.#recall(id)
    if (typeof known === 'string') throw new ExecutorRefused(known, `sandbox ${id} may not start`)
    if (known?.exit && endedUnbegun(known.exit)) throw new ExecutorRefused(unbegun, 'cut')
    if (known && this.#rules.startsOnce) return
    if (this.#timeline.nowMs < this.#fullUntilMs) throw new ExecutorRefused(noCapacity, 'full')
    if (!this.#timeline.calm && this.#timeline.draw.chance(0.02)) this.#dieBeforeTheWord(id)
    if (!this.#timeline.calm && this.#timeline.draw.chance(0.02)) this.#dieBeforeTheEnd(id)
    this.#write()
    const sandbox: Sandbox = { exit: undefined, waiters: [] }
    this.#known.set(id, sandbox)
    this.#events.started(id)
    const ranMs = Math.min(program.seconds * 1000, timeoutMs)
    const exit =
      program.seconds * 1000 > timeoutMs ? exitOf('deadline', null) : exitOf('exited', program.exitCode)
    this.#timeline.at(this.#timeline.nowMs + ranMs, () => this.#end(id, sandbox, exit, true))
  }

  /** The agent dies between the ticket of a start and its word. */
  #dieBeforeTheWord(id: string): never {
    if (!this.#rules.startsByWord) this.#known.set(id, { exit: exitOf('start_failed', null), waiters: [] })
    this.restart(this.#timeline.draw.below(500))
    throw new ExecutorUnavailable('the host broke off')
  }

  /** The agent dies while the boot program reads, or the runtime at its start: the job has not begun, or rules are broken. */
  #dieBeforeTheEnd(id: string): never {
    if (!this.#rules.beginsWithWholeInput) this.#events.started(id)
    const isCut = this.#timeline.draw.chance(0.5)
    const exit = isCut ? exitOf('lost', null, 'input_cut') : exitOf('start_failed', null, 'runtime')
    this.#known.set(id, { exit, waiters: [] })
    this.restart(this.#timeline.draw.below(500))
    throw new ExecutorUnavailable('the host broke off')
  }

  /** Throws when the id is not known. */
  whenEnded(id: string, waiter: Waiter): void {
    const sandbox = this.#find(id)
    if (sandbox.exit) waiter.tell(sandbox.exit)
    else sandbox.waiters.push(waiter)
  }

  stop(id: string): void {
    const sandbox = this.#find(id)
    if (this.#rules.stops) this.#end(id, sandbox, exitOf('stopped', null), false)
  }

  /** The keeper of a sandbox dies, and its program with it. */
  loseOne(): void {
    const live = [...this.#known].filter(([, one]) => typeof one !== 'string' && !one.exit)
    if (live.length === 0) return
    const [id, sandbox] = this.#timeline.draw.of(live)
    this.#end(id, sandbox as Sandbox, exitOf('lost', null), false)
  }

  forbid(id: string): boolean {
    const known = this.#recall(id)
    if (known) return known === 'forbidden'
    if (this.#rules.forbids === 'never') return true
    if (this.#rules.remembersFirst) this.#known.set(id, 'forbidden')
    if (this.#rules.forbids === 'durably') this.#mark(id, 'forbidden')
    else this.#known.set(id, 'forbidden')
    return true
  }

  /** On disk first, then remembered. */
  #mark(id: string, as: 'forbidden' | 'removed'): void {
    this.#write()
    this.#marked.set(id, this.#timeline.nowMs)
    this.#known.set(id, as)
  }

  /** What the agent has written, it has; now and then its disk fails it. */
  #write(): void {
    const { calm, draw, nowMs } = this.#timeline
    if (calm || (nowMs >= this.#badDiskUntilMs && !draw.chance(0.02))) return
    throw new ExecutorUnavailable('disk error')
  }

  #recall(id: string): Sandbox | 'forbidden' | 'removed' | undefined {
    const markedMs = this.#marked.get(id)
    if (markedMs !== undefined && markedMs + this.#rules.marksKeptMs < this.#timeline.nowMs) {
      this.#marked.delete(id)
      this.#known.delete(id)
    }
    return this.#known.get(id)
  }

  output(id: string): string {
    const sandbox = this.#find(id)
    if (sandbox.exit?.files.output?.status !== 'present') throw new SandboxUnknown(`${id}/output`)
    return outputText
  }

  remove(id: string): void {
    const sandbox = this.#known.get(id)
    if (!sandbox || typeof sandbox === 'string') return
    if (!sandbox.exit) throw new ExecutorRefused('running', `sandbox ${id} has not ended`)
    this.#mark(id, 'removed')
  }

  list(): SandboxSummary[] {
    return [...this.#known].flatMap(([id, one]): SandboxSummary[] => {
      if (one === 'removed') return []
      if (one === 'forbidden') return [{ id, state: 'forbidden' }]
      return [{ id, state: one.exit ? 'exited' : 'running' }]
    })
  }

  #end(id: string, sandbox: Sandbox, exit: SandboxExit, own: boolean): void {
    if (sandbox.exit) return
    sandbox.exit = exit
    this.#events.ended(id, own)
    for (const { tell } of sandbox.waiters.splice(0)) tell(exit)
    if (!this.#rules.keepsResults) {
      this.#marked.set(id, this.#timeline.nowMs)
      this.#known.set(id, 'removed')
    }
  }

  #find(id: string): Sandbox {
    const sandbox = this.#known.get(id)
    if (!sandbox || typeof sandbox === 'string') throw new SandboxUnknown(id)
    return sandbox
  }
}

/** How long a program ran is nothing that the rules ask. */
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
    peakMemoryBytes: 0,
    cpuMs: 0,
    log: { totalBytes: 0, keptBytes: 0 },
    files: {
      output: left ? { status: 'present', byteSize: outputText.length } : { status: 'absent', byteSize: 0 },
    },
    tree: null,
    network: { ingressBytes: 0, egressBytes: 0 },
  }
}
