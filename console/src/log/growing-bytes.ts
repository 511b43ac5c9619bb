import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'

/** A log has at most `logMaxBytes` of what was printed, and the mark of a cut. */
const keptBytesMax = logMaxBytes + 64 * 1024

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes that are added at the end, in one bounded buffer. */
export class GrowingBytes {
  #buffer = new Uint8Array(1024 * 1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  get view(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Bytes beyond the bound are left out. */
  add(chunk: Uint8Array): void {
    const added = chunk.subarray(0, keptBytesMax - this.#length)
    this.reserve(this.#length + added.length)
    this.#buffer.set(added, this.#length)
    this.#length += added.length
  }

  /** Makes room at once for a log whose size is known. */
  reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return
    const larger = new Uint8Array(Math.min(keptBytesMax, Math.max(bytes, this.#buffer.length * 2)))
    larger.set(this.view)
    this.#buffer = larger
  }

  /** Invalid UTF-8 becomes U+FFFD. */
  text(from: number, to: number): string {
    return decoder.decode(this.#buffer.subarray(from, Math.min(to, this.#length)))
  }
}
