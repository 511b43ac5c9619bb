import type { Marks } from './marks.ts'

/** Forbidden lately; more are not listed. */
const listedMost = 1000

/** Ids on their way to be forbidden, and those that were forbidden last. */
export class ForbiddenIds {
  readonly #marks: Marks
  readonly #pending = new Map<string, Promise<void>>()
  /** Oldest first. */
  readonly #latest = new Set<string>()

  constructor(marks: Marks) {
    this.#marks = marks
  }

  /**
   * Resolves when the id is forbidden for good, which is when the mark is on disk: an answer that a crash could take back would
   * let the id start beside the run's next one. When it cannot be written the id is as it was before.
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
    if (this.#latest.size > listedMost && oldest !== undefined) this.#latest.delete(oldest)
  }

  /** Whether the id will be forbidden is being decided; it settles with that. */
  pending(id: string): Promise<void> | undefined {
    return this.#pending.get(id)
  }

  latest(): string[] {
    return [...this.#latest]
  }
}
