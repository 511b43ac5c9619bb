import { othersFirst } from './others-first.ts'

/*
 * Long work over a tenant's data in slices of the event loop. One slice is granted in each round of the loop, to the owners that
 * wait in turn; after ten milliseconds of work, others come first. So whoever else has a small request waits for one slice, not for
 * the work of all the requests that a company sends at once; and two companies with long work get the same share of the loop.
 */

/** Longest time of a slice, in milliseconds. The work itself looks at it, each time that it has done a little. */
const sliceMs = 10

/** Called after each slice with its owner and the time that it took. */
type OnUsed = (owner: string, ms: number) => void

/** Grants the slices of one event loop. */
export class LoopSlices {
  onUsed: OnUsed = () => undefined
  /** By owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Time that granted slices have used since others came first. */
  #usedMs = 0
  /** A slice will be granted, or its work is being done. */
  #isGranting = false

  /** A new piece of work. It waits for its first slice too. */
  of(owner: string): Slice {
    let hasBegun = false
    return new Slice(() => {
      const granted = this.#granted(owner, hasBegun)
      hasBegun = true
      return granted
    })
  }

  /** Started work goes on before its owner starts more, so that little of it is in memory at once. */
  #granted(owner: string, hasBegun: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!this.#isGranting) this.#grantLater()
    const own = this.#waiting.get(owner) ?? []
    if (own.length === 0) this.#waiting.set(owner, own)
    if (hasBegun) own.unshift(resolve)
    else own.push(resolve)
    return promise
  }

  #grantLater(): void {
    this.#isGranting = true
    const usedMs = this.#usedMs
    if (usedMs >= sliceMs) {
      this.#usedMs = 0
      othersFirst(usedMs, () => this.#grantInNextRound())
    } else this.#grantInNextRound()
  }

  #grantInNextRound(): void {
    let grantedAtMs = 0
    let owner: string | undefined
    setImmediate(() => {
      grantedAtMs = performance.now()
      owner = this.#grantNext()
    })
    // Directly after it: the work of the slice is done between the two.
    setImmediate(() => {
      const usedMs = performance.now() - grantedAtMs
      this.#usedMs += usedMs
      if (owner !== undefined) this.onUsed(owner, usedMs)
      this.#isGranting = false
      if (this.#waiting.size > 0) this.#grantLater()
    })
  }

  /** Returns whose slice it is. */
  #grantNext(): string | undefined {
    const [next] = this.#waiting
    if (!next) return undefined
    const [owner, own] = next
    const grant = own.shift()
    this.#waiting.delete(owner)
    if (own.length > 0) this.#waiting.set(owner, own)
    grant?.()
    return owner
  }
}

/**
 * The slices of one piece of work. In a loop, before each step: `if (slice.isOver) await slice.next()`. A step that cannot
 * be divided begins with it too, and takes a few slices at most.
 */
export class Slice {
  readonly #granted: () => Promise<void>
  #endsAtMs = 0

  constructor(granted: () => Promise<void>) {
    this.#granted = granted
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAtMs
  }

  /** Resolves in the next turn of the owner. */
  async next(): Promise<void> {
    await this.#granted()
    this.#endsAtMs = performance.now() + sliceMs
  }
}

const ofProcess = new LoopSlices()

/** Work of this process for an owner: the company whose data it goes through. */
export const slicesOf = (owner: string): Slice => ofProcess.of(owner)

/** From now on, reports each slice of this process. */
export function watchSlices(onUsed: OnUsed): void {
  ofProcess.onUsed = onUsed
}
