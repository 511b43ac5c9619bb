import { Counts } from './counts.ts'

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
  #taken = new Counts()
  #leftOut = 0
  #endsAtMs = 0

  constructor(report: (leftOut: number) => void, now: () => number = () => performance.now()) {
    this.#report = report
    this.#now = now
  }

  /** Whether the owner may write one more line now. */
  take(owner: string): boolean {
    if (this.#now() >= this.#endsAtMs) this.#startWindow()
    if (this.#taken.of(owner) >= linesOfOwner || this.#taken.sum >= linesOfAll) {
      this.#leftOut += 1
      return false
    }
    this.#taken.add(owner, 1)
    return true
  }

  #startWindow(): void {
    if (this.#leftOut > 0) this.#report(this.#leftOut)
    this.#taken = new Counts()
    this.#leftOut = 0
    this.#endsAtMs = this.#now() + windowMs
  }
}
