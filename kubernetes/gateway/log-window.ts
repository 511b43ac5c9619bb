import type { LogPart } from '../../agent/port/results.ts'

/** Bytes of the log that are kept for its readers, and that a collector sends at once. */
export const windowBytes = 256 * 1024

/** The newest part of a log that somebody reads while the program runs. */
export class LogWindow {
  /** From which the readers wanted it. */
  #wanted: number | undefined
  #start = 0
  #bytes: Buffer = Buffer.alloc(0)

  /** The position whose bytes come next. */
  get end(): number {
    return this.#start + this.#bytes.length
  }

  /** A reader that begins before the others makes the collector send from there again. */
  want(position: number): void {
    if (this.#wanted !== undefined && position >= this.#wanted) return
    this.#wanted = position
    this.#start = position
    this.#bytes = Buffer.alloc(0)
  }

  /** Bytes before the end are there already; those after a gap take the place of all. */
  add(from: number, bytes: Buffer): void {
    if (from > this.end) {
      this.#start = from
      this.#bytes = bytes
    } else {
      this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(this.end - from)])
    }
    const surplus = Math.max(0, this.#bytes.length - windowBytes)
    this.#bytes = this.#bytes.subarray(surplus)
    this.#start += surplus
  }

  /** The newest bytes from `position` on. */
  since(position: number): LogPart {
    const start = Math.min(Math.max(position, this.#start), this.end)
    return { start, bytes: this.#bytes.subarray(start - this.#start) }
  }
}
