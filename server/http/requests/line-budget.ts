/** In a window of one second. */
const linesOfOwner = 50
const linesOfAll = 500
const windowMs = 1000

/**
 * Bounds the lines of a log: those of each owner, so that nobody who sends many requests pushes out the lines of others, and those of
 * all, so that the log costs little. How many were left out is reported with the first line of a later window.
 */
export class LineBudget {
  readonly #report: (leftOut: number) => void
  readonly #now: () => number
  readonly #taken = new Map<string, number>()
  #all = 0
  #leftOut = 0
  #endsAtMs = 0

  constructor(report: (leftOut: number) => void, now: () => number = () => performance.now()) {
    this.#report = report
    this.#now = now
  }

  /** Whether the owner may write one more line now. */
  take(owner: string): boolean {
    if (this.#now() >= this.#endsAtMs) this.#startWindow()
    const taken = this.#taken.get(owner) ?? 0
    if (taken >= linesOfOwner || this.#all >= linesOfAll) {
      this.#leftOut += 1
      return false
    }
    this.#taken.set(owner, taken + 1)
    this.#all += 1
    return true
  }

  #startWindow(): void {
    if (this.#leftOut > 0) this.#report(this.#leftOut)
    this.#taken.clear()
    this.#all = 0
    this.#leftOut = 0
    this.#endsAtMs = this.#now() + windowMs
  }
}
