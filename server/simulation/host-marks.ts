import { ExecutorRefused, ExecutorUnavailable } from '../executor/port.ts'
import type { Rules } from './rules.ts'
import type { Timeline } from './timeline.ts'

export type Mark = 'forbidden' | 'removed'

/** What a host's agent remembers of ids that have no sandbox: a model, or the agent's own code. */
export interface HostMarks {
  find(id: string): Mark | undefined | Promise<Mark | undefined>
  /** Refuses the start of an id that has no sandbox, or throws what keeps it from being decided. */
  requireStartable(id: string, claimedAt: string | undefined): void | Promise<void>
  /** Of an id that has neither a sandbox nor a mark. */
  forbid(id: string): void | Promise<void>
  /** Resolves when it is on disk. */
  noteRemoved(id: string): void | Promise<void>
  /** Forbidden ids, of those that are listed. */
  forbidden(): string[]
  /** Another agent takes the place of this one. */
  restart(): void
  /** The world is over. */
  close(): void | Promise<void>
}

export type MakeMarks = (rules: Rules, timeline: Timeline, disk: HostDisk) => HostMarks

/** When the disk of a host fails. */
export class HostDisk {
  #badUntilMs = 0
  readonly #timeline: Timeline

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** Nothing can be written for a while; answers when that is over. */
  fail(forMs: number): number {
    this.#badUntilMs = this.#timeline.nowMs + forMs
    return this.#badUntilMs
  }

  get fails(): boolean {
    const { calm, draw, nowMs } = this.#timeline
    return !calm && (nowMs < this.#badUntilMs || draw.chance(0.02))
  }

  /** What is written, is; now and then it fails. */
  write(): void {
    if (this.fails) throw new ExecutorUnavailable('disk error')
  }
}

/** Marks that keep what the agent's promise: on disk first, then remembered, and for good. */
export class ModelledMarks implements HostMarks {
  readonly #rules: Rules
  readonly #timeline: Timeline
  readonly #disk: HostDisk
  readonly #remembered = new Map<string, Mark>()
  /** When the marks were made that are on disk. */
  readonly #onDisk = new Map<string, number>()

  constructor(rules: Rules, timeline: Timeline, disk: HostDisk) {
    this.#rules = rules
    this.#timeline = timeline
    this.#disk = disk
  }

  find(id: string): Mark | undefined {
    const markedMs = this.#onDisk.get(id)
    if (markedMs !== undefined && markedMs + this.#rules.marksKeptMs < this.#timeline.nowMs) {
      this.#onDisk.delete(id)
      this.#remembered.delete(id)
    }
    return this.#remembered.get(id)
  }

  requireStartable(id: string): void {
    const mark = this.find(id)
    if (mark) throw new ExecutorRefused(mark, `sandbox ${id} may not start`)
  }

  forbid(id: string): void {
    if (this.#rules.forbids === 'never') return
    if (this.#rules.remembersFirst) this.#remembered.set(id, 'forbidden')
    if (this.#rules.forbids === 'durably') this.#mark(id, 'forbidden')
    else this.#remembered.set(id, 'forbidden')
  }

  noteRemoved(id: string): void {
    this.#mark(id, 'removed')
  }

  forbidden(): string[] {
    return [...this.#remembered].filter(([, mark]) => mark === 'forbidden').map(([id]) => id)
  }

  restart(): void {
    for (const id of this.#remembered.keys()) if (!this.#onDisk.has(id)) this.#remembered.delete(id)
  }

  close(): void {}

  /** On disk first, then remembered. */
  #mark(id: string, as: Mark): void {
    this.#disk.write()
    this.#onDisk.set(id, this.#timeline.nowMs)
    this.#remembered.set(id, as)
  }
}
