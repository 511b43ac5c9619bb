import { ExecutorRefused, ExecutorUnavailable } from '../../agent/port/errors.ts'
import type { Rules } from './rules.ts'
import type { Timeline } from './timeline.ts'

export type Mark = 'forbidden' | 'removed'

/** The agent's marks of ids without a sandbox: a model, or the agent's production code. */
export interface HostMarks {
  find(id: string): Mark | undefined | Promise<Mark | undefined>
  /** Throws if an id without a sandbox may not start, or if that cannot be decided. */
  requireStartable(id: string, claimedAt: string | undefined): void | Promise<void>
  /** Forbids an id that has neither a sandbox nor a mark. */
  forbid(id: string): void | Promise<void>
  /** Resolves when it is on disk. */
  recordRemoved(id: string): void | Promise<void>
  /** Forbidden ids for the list of sandboxes. */
  forbidden(): string[]
  /** The agent restarts. */
  restart(): void
  /** The world has ended. */
  close(): void | Promise<void>
}

export type MakeMarks = (rules: Rules, timeline: Timeline, disk: HostDisk) => HostMarks

/** Decides when the disk of a host fails. */
export class HostDisk {
  #badUntilMs = 0
  readonly #timeline: Timeline

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** Fails all writes for a while; returns when that ends. */
  fail(forMs: number): number {
    this.#badUntilMs = this.#timeline.nowMs + forMs
    return this.#badUntilMs
  }

  get fails(): boolean {
    const { calm, draw, nowMs } = this.#timeline
    return !calm && (nowMs < this.#badUntilMs || draw.chance(0.02))
  }

  /** A write. Throws while the disk fails, and at random. */
  write(): void {
    if (this.fails) throw new ExecutorUnavailable('disk error')
  }
}

/** Modelled marks with the agent's guarantees: on disk first, then in memory, and permanent. */
export class ModelledMarks implements HostMarks {
  readonly #rules: Rules
  readonly #timeline: Timeline
  readonly #disk: HostDisk
  readonly #remembered = new Map<string, Mark>()
  /** Times of the marks on disk. */
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

  recordRemoved(id: string): void {
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
