import type { Clock } from '../../../base/clock.ts'
import type { SandboxSpec } from '../../port.ts'
import type { MadeSandbox } from './made-sandbox.ts'

export interface WarmPoolOptions {
  /** Warm sandboxes at once, of all kinds; 0 makes none. */
  limit: number
  /** Places of this machine that nothing has, warm sandboxes among what has them. */
  freePlaces: () => number
  make: (spec: SandboxSpec) => Promise<MadeSandbox>
  /** Ends a sandbox that was never started and removes all of it. */
  clearAway: (made: MadeSandbox) => Promise<void>
  clock: Clock
  onError: (error: unknown) => void
  /** A kind that nobody started for so long is cold. */
  coldAfterMs?: number
  /**
   * Rest before what a start took is made again, so that it does not take the start's own processor time. Where starts
   * and ends leave no such rest, it is made all the same after ten times as long.
   */
  restMs?: number
}

const coldAfterMsDefault = 10 * 60_000
const restMsDefault = 30
const restsAtMost = 10
/** As many as were started in this time are kept. */
const burstMs = 1000
/** Kinds that are remembered; what has not been started for longest is forgotten first. */
const maxKinds = 256

/** Specs that differ in nothing but their id, their claim and their time. */
interface Kind {
  spec: SandboxSpec
  starts: number
  /** Those of the last `burstMs`. */
  lastStartsMs: number[]
  idle: MadeSandbox[]
  cooling: NodeJS.Timeout
}

/**
 * Sandboxes that are already made, for specs that were started before and probably will be again: their process 1 waits
 * for the word. Each is for one start and gone with it; it was made from nothing but the spec, so it differs from one that
 * is made at the start in its age only. A kind is kept warm from its second start on until it has cooled.
 */
export class WarmPool {
  readonly #options: WarmPoolOptions
  /** Least recently started first. */
  readonly #kinds = new Map<string, Kind>()
  readonly #clearing = new Set<Promise<void>>()
  #size = 0
  #filling: Promise<void> | undefined
  readonly #restMs: number
  #rest: NodeJS.Timeout | undefined
  /** When the rest began that is under way, by the process's own clock. */
  #restSinceMs: number | undefined
  #closed = false

  constructor(options: WarmPoolOptions) {
    this.#options = options
    this.#restMs = options.restMs ?? restMsDefault
  }

  /** Idle sandboxes, and one that is being made. */
  get size(): number {
    return this.#size
  }

  /** Notes a start, and answers it with a warm sandbox if there is one. The caller owns it. */
  take(spec: SandboxSpec): MadeSandbox | undefined {
    if (this.#options.limit === 0 || this.#closed) return undefined
    const kind = this.#noteStart(spec)
    const made = kind.idle.shift()
    if (made) this.#size -= 1
    this.fillSoon()
    return made
  }

  /** What is missing is made after a rest: a start was made, or a place is free again. */
  fillSoon(): void {
    if (this.#closed || this.#kinds.size === 0) return
    this.#restSinceMs ??= performance.now()
    if (this.#rest && performance.now() - this.#restSinceMs > restsAtMost * this.#restMs) return
    this.#rest ??= setTimeout(() => this.#fill(), this.#restMs)
    this.#rest.refresh()
  }

  /** Ends one idle sandbox, of the kind that was not started for longest; false when there is none. */
  yieldOne(): boolean {
    for (const kind of this.#kinds.values()) {
      const made = kind.idle.shift()
      if (!made) continue
      this.#clear(made)
      return true
    }
    return false
  }

  /** Resolves when no warm sandbox has that image under its root; no more are made until it is started again. */
  async dropImage(digest: string): Promise<void> {
    for (const [key, { spec }] of this.#kinds) if (standsOn(spec, digest)) this.#forget(key)
    await this.#filling
    await Promise.all(this.#clearing)
  }

  /** True when the pool has kinds that stand on that image. */
  keeps(digest: string): boolean {
    return [...this.#kinds.values()].some(({ spec }) => standsOn(spec, digest))
  }

  /** Resolves when nothing of the pool is left. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#rest)
    for (const key of this.#kinds.keys()) this.#forget(key)
    await this.#filling
    await Promise.all(this.#clearing)
  }

  #noteStart(spec: SandboxSpec): Kind {
    const key = kindOf(spec)
    const nowMs = this.#options.clock.now().getTime()
    const known = this.#kinds.get(key)
    const kind = known ?? { spec, starts: 0, lastStartsMs: [], idle: [], cooling: this.#cooling(key) }
    kind.cooling.refresh()
    kind.starts += 1
    kind.lastStartsMs = [...kind.lastStartsMs.filter((at) => at > nowMs - burstMs), nowMs]
    // Last in the map is most recently started.
    this.#kinds.delete(key)
    this.#kinds.set(key, kind)
    const [oldest] = this.#kinds.keys()
    if (this.#kinds.size > maxKinds && oldest !== undefined) this.#forget(oldest)
    return kind
  }

  #cooling(key: string): NodeJS.Timeout {
    return setTimeout(() => this.#forget(key), this.#options.coldAfterMs ?? coldAfterMsDefault).unref()
  }

  #forget(key: string): void {
    const kind = this.#kinds.get(key)
    if (!kind) return
    clearTimeout(kind.cooling)
    this.#kinds.delete(key)
    for (const made of kind.idle.splice(0)) this.#clear(made)
  }

  #clear(made: MadeSandbox): void {
    this.#size -= 1
    const clearing = this.#options.clearAway(made).catch(this.#options.onError)
    this.#clearing.add(clearing)
    void clearing.then(() => this.#clearing.delete(clearing))
  }

  #fill(): void {
    this.#restSinceMs = undefined
    if (this.#filling) {
      // What has come to be missing meanwhile may be of a kind that is passed already.
      this.fillSoon()
      return
    }
    // One after another: what runs shall notice little of it.
    this.#filling = this.#makeWhatIsMissing()
      .catch(this.#options.onError)
      .finally(() => {
        this.#filling = undefined
      })
  }

  async #makeWhatIsMissing(): Promise<void> {
    for (const [key, kind] of [...this.#kinds].reverse()) {
      while (this.#kinds.get(key) === kind && kind.idle.length < wanted(kind) && this.#hasRoom(kind)) {
        await this.#makeOne(kind)
      }
    }
  }

  #hasRoom(kind: Kind): boolean {
    const { limit, freePlaces } = this.#options
    if (this.#size < limit && freePlaces() > 0) return true
    // What was started more recently is worth more than what was not, and never less.
    const holders = [...this.#kinds.values()].filter((other) => other === kind || other.idle.length > 0)
    return holders[0] !== kind && this.yieldOne()
  }

  async #makeOne(kind: Kind): Promise<void> {
    this.#size += 1
    let made: MadeSandbox
    try {
      made = await this.#options.make(kind.spec)
    } catch (error) {
      this.#size -= 1
      throw error
    }
    const isWanted = this.#kinds.get(kindOf(kind.spec)) === kind
    // A start may have taken its place while it was made.
    if (!isWanted || this.#options.freePlaces() < 0) return this.#clear(made)
    kind.idle.push(made)
    void made.keeper.ended.then(() => {
      const at = kind.idle.indexOf(made)
      if (at >= 0) for (const dead of kind.idle.splice(at, 1)) this.#clear(dead)
    })
  }
}

const standsOn = ({ rootfs }: SandboxSpec, digest: string): boolean =>
  rootfs.kind === 'image' && rootfs.digest === digest

const wanted = (kind: Kind): number => (kind.starts < 2 ? 0 : kind.lastStartsMs.length)

function kindOf(spec: SandboxSpec): string {
  const { id: _id, claimedAt: _claimedAt, limits, ...rest } = spec
  const { timeoutMs: _timeoutMs, ...bounds } = limits
  return JSON.stringify([rest, bounds])
}
