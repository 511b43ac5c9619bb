import type { Clock } from '../../../server/base/clock.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import type { MadeSandbox } from './made-sandbox.ts'

export interface WarmPoolOptions {
  /** Maximum number of warm sandboxes of all kinds; 0 makes none. */
  limit: number
  /** Free slots of this machine; warm sandboxes count as used. */
  freeSlots: () => number
  make: (spec: SandboxSpec) => Promise<MadeSandbox>
  /** Ends a sandbox that was never started, and removes all of it. */
  destroy: (made: MadeSandbox) => Promise<void>
  clock: Clock
  onError: (error: unknown) => void
  /** A kind without a start for this long loses its warm sandboxes. */
  coldAfterMs?: number
  /**
   * Quiet time before a taken sandbox is replaced, so that making it does not take processor time from the start. If starts
   * and ends leave no quiet time, it is replaced after ten times as long.
   */
  refillDelayMs?: number
}

const defaultColdAfterMs = 10 * 60_000
const defaultRefillDelayMs = 30
const maxRefillDelays = 10
/** The pool keeps as many sandboxes of a kind as were started within this time. */
const burstMs = 1000
/** Maximum number of known kinds; the least recently started is forgotten first. */
const maxKinds = 256

/** A set of specs that differ only in id, claim time and timeout. */
interface Kind {
  spec: SandboxSpec
  starts: number
  /** Times of the starts within the last `burstMs`. */
  lastStartsMs: number[]
  idle: MadeSandbox[]
  cooling: NodeJS.Timeout
}

/** The number of idle sandboxes of the owner of a kind. */
type IdleOfOwner = (kind: Kind) => number

/**
 * Warm sandboxes: made in advance for specs that were started before and probably will be again. Their process 1 waits for
 * the start signal. Each is used for one start; it is made from the spec alone, so it differs from a sandbox made at the
 * start only in its age. A kind is kept warm from its second start until it has had no start for `coldAfterMs`. Owners share the
 * pool equally: the one with the fewest gets the next sandbox, the one with the most loses one.
 */
export class WarmPool {
  readonly #options: WarmPoolOptions
  /** Least recently started first. */
  readonly #kinds = new Map<string, Kind>()
  readonly #destroying = new Set<Promise<void>>()
  #size = 0
  #filling: Promise<void> | undefined
  readonly #refillDelayMs: number
  #refillTimer: NodeJS.Timeout | undefined
  /** When the pending refill was first scheduled, by the monotonic clock. */
  #refillPendingSinceMs: number | undefined
  #closed = false
  readonly #starts = { hits: 0, misses: 0 }

  constructor(options: WarmPoolOptions) {
    this.#options = options
    this.#refillDelayMs = options.refillDelayMs ?? defaultRefillDelayMs
  }

  /** Number of idle sandboxes, including one that is being made. */
  get size(): number {
    return this.#size
  }

  get starts(): { hits: number; misses: number } {
    return { ...this.#starts }
  }

  /** Records a start, and returns a warm sandbox if there is one. The caller owns it. */
  take(spec: SandboxSpec): MadeSandbox | undefined {
    if (this.#options.limit === 0 || this.#closed) {
      this.#starts.misses += 1
      return undefined
    }
    const kind = this.#recordStart(spec)
    const made = kind.idle.shift()
    if (made) this.#size -= 1
    this.#starts[made ? 'hits' : 'misses'] += 1
    this.scheduleFill()
    return made
  }

  /** Schedules a refill: call after a start, and after a slot became free. */
  scheduleFill(): void {
    if (this.#closed || this.#kinds.size === 0) return
    this.#refillPendingSinceMs ??= performance.now()
    if (
      this.#refillTimer &&
      performance.now() - this.#refillPendingSinceMs > maxRefillDelays * this.#refillDelayMs
    )
      return
    this.#refillTimer ??= setTimeout(() => this.#fill(), this.#refillDelayMs)
    this.#refillTimer.refresh()
  }

  /** Ends one idle sandbox of the owner that has the most, of its least recently started kind; false if there is none. */
  evictOne(): boolean {
    return this.#evict([...this.#kinds.values()], this.#idleByOwner())
  }

  /** Resolves when no warm sandbox uses that image; no more are made until it is started again. */
  async dropImage(digest: string): Promise<void> {
    for (const [key, { spec }] of this.#kinds) if (usesImage(spec, digest)) this.#forget(key)
    await this.#filling
    await Promise.all(this.#destroying)
  }

  /** True if the pool has kinds that use that image. */
  keepsImage(digest: string): boolean {
    return [...this.#kinds.values()].some(({ spec }) => usesImage(spec, digest))
  }

  /** Destroys all warm sandboxes. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#refillTimer)
    for (const key of this.#kinds.keys()) this.#forget(key)
    await this.#filling
    await Promise.all(this.#destroying)
  }

  #recordStart(spec: SandboxSpec): Kind {
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
    return setTimeout(() => this.#forget(key), this.#options.coldAfterMs ?? defaultColdAfterMs).unref()
  }

  #forget(key: string): void {
    const kind = this.#kinds.get(key)
    if (!kind) return
    clearTimeout(kind.cooling)
    this.#kinds.delete(key)
    for (const made of kind.idle.splice(0)) this.#destroy(made)
  }

  #destroy(made: MadeSandbox): void {
    this.#size -= 1
    const destroying = this.#options.destroy(made).catch(this.#options.onError)
    this.#destroying.add(destroying)
    void destroying.then(() => this.#destroying.delete(destroying))
  }

  #fill(): void {
    this.#refillPendingSinceMs = undefined
    if (this.#filling) {
      // The running fill may have passed the kind that needs another one now.
      this.scheduleFill()
      return
    }
    // One after another, to take little processor time from running sandboxes.
    this.#filling = this.#makeMissing()
      .catch(this.#options.onError)
      .finally(() => {
        this.#filling = undefined
      })
  }

  async #makeMissing(): Promise<void> {
    const withoutRoom = new Set<Kind>()
    for (let kind = this.#nextToFill(withoutRoom); kind; kind = this.#nextToFill(withoutRoom))
      await this.#makeOne(kind)
  }

  /**
   * Makes room for one of the kinds that have too few, and returns it: one of the owner with the fewest idle sandboxes, the most
   * recently started one. Adds those that found no room to `withoutRoom`, and passes over those in it.
   */
  #nextToFill(withoutRoom: Set<Kind>): Kind | undefined {
    const idleOfOwner = this.#idleByOwner()
    const missing = [...this.#kinds.values()]
      .reverse()
      .filter((kind) => !withoutRoom.has(kind) && kind.idle.length < targetCount(kind))
      .sort((one, other) => idleOfOwner(one) - idleOfOwner(other))
    for (const kind of missing) {
      if (this.#makeRoom(kind, idleOfOwner)) return kind
      withoutRoom.add(kind)
    }
    return undefined
  }

  /**
   * A kind may evict sandboxes of one that was started less recently, never the reverse, so that two do not evict each other. Between
   * owners that holds for equal numbers only: an owner with frequent starts would leave nothing to the others.
   */
  #makeRoom(kind: Kind, idleOfOwner: IdleOfOwner): boolean {
    const { limit, freeSlots } = this.#options
    if (this.#size < limit && freeSlots() > 0) return true
    const all = [...this.#kinds.values()]
    const age = all.indexOf(kind)
    const replaceable = all.filter((other, at) => {
      if (other.spec.owner === kind.spec.owner) return at < age
      const excess = idleOfOwner(other) - idleOfOwner(kind)
      return excess > 1 || (excess === 1 && at < age)
    })
    return this.#evict(replaceable, idleOfOwner)
  }

  /** `kinds`: least recently started first. */
  #evict(kinds: readonly Kind[], idleOfOwner: IdleOfOwner): boolean {
    let victim: Kind | undefined
    for (const kind of kinds) {
      if (kind.idle.length === 0) continue
      if (!victim || idleOfOwner(kind) > idleOfOwner(victim)) victim = kind
    }
    const made = victim?.idle.shift()
    if (made) this.#destroy(made)
    return made !== undefined
  }

  /** Counts once for all kinds: a fill compares each with each. */
  #idleByOwner(): IdleOfOwner {
    const counts = new Map<number | undefined, number>()
    for (const { spec, idle } of this.#kinds.values())
      counts.set(spec.owner, (counts.get(spec.owner) ?? 0) + idle.length)
    return ({ spec }) => counts.get(spec.owner) ?? 0
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
    // A start may have taken its slot while it was made.
    if (!isWanted || this.#options.freeSlots() < 0) return this.#destroy(made)
    kind.idle.push(made)
    void made.shim.ended.then(() => {
      const at = kind.idle.indexOf(made)
      if (at >= 0) for (const dead of kind.idle.splice(at, 1)) this.#destroy(dead)
    })
  }
}

const usesImage = ({ rootfs }: SandboxSpec, digest: string): boolean =>
  rootfs.kind === 'image' && rootfs.digest === digest

const targetCount = (kind: Kind): number => (kind.starts < 2 ? 0 : kind.lastStartsMs.length)

function kindOf(spec: SandboxSpec): string {
  const { id: _id, claimedAt: _claimedAt, limits, ...rest } = spec
  const { timeoutMs: _timeoutMs, ...bounds } = limits
  return JSON.stringify([rest, bounds])
}
