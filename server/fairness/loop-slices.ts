import { othersFirst } from './others-first.ts'

/*
 * Long work over a tenant's data in slices of the event loop. One slice is granted in each round of the loop, to the owners that
 * wait in turn; after ten milliseconds of work, others come first. So whoever else has a small request waits for one slice, not for
 * the work of all the requests that a company sends at once; and two companies with long work get the same share of the loop.
 */

/** Longest time of a slice, in milliseconds. The work itself looks at it, each time that it has done a little. */
const sliceMs = 10

/** Grants the slices of one event loop. */
export class LoopSlices {
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
    setImmediate(() => {
      grantedAtMs = performance.now()
      this.#grantNext()
    })
    // Directly after it: the work of the slice is done between the two.
    setImmediate(() => {
      this.#usedMs += performance.now() - grantedAtMs
      this.#isGranting = false
      if (this.#waiting.size > 0) this.#grantLater()
    })
  }

  #grantNext(): void {
    const [next] = this.#waiting
    if (!next) return
    const [owner, own] = next
    const grant = own.shift()
    this.#waiting.delete(owner)
    if (own.length > 0) this.#waiting.set(owner, own)
    grant?.()
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
