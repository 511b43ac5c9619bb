import type { Marks } from './marks.ts'

/** Recently forbidden ids that `latest` returns at most. */
const maxListed = 1000

/** Ids that are being forbidden, and the most recently forbidden ones. */
export class ForbiddenIds {
  readonly #marks: Marks
  readonly #pending = new Map<string, Promise<void>>()
  /** Oldest first. */
  readonly #latest = new Set<string>()

  constructor(marks: Marks) {
    this.#marks = marks
  }

  /**
   * Resolves when the mark is on disk: an answer that a crash could undo would let the id start in parallel with the run's
   * next attempt. If the mark cannot be written, the state of the id is unchanged.
   */
  async forbid(id: string): Promise<void> {
    const pending = this.#pending.get(id) ?? this.#marks.add('forbidden', [id])
    this.#pending.set(id, pending)
    try {
      await pending
    } finally {
      this.#pending.delete(id)
    }
    this.#latest.add(id)
    const [oldest] = this.#latest
    if (this.#latest.size > maxListed && oldest !== undefined) this.#latest.delete(oldest)
  }

  /** The pending decision about the id, if there is one; settles when it is made. */
  pending(id: string): Promise<void> | undefined {
    return this.#pending.get(id)
  }

  latest(): string[] {
    return [...this.#latest]
  }
}
