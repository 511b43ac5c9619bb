import { sleep } from '../../server/base/clock.ts'

/** Wakes everybody who waits for a change. */
export class Changes {
  #next = Promise.withResolvers<void>()

  notify(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  /** Resolves at the next change, after `ms`, or when a signal fires. */
  async next(ms: number, ...signals: AbortSignal[]): Promise<void> {
    const over = new AbortController()
    try {
      await Promise.race([this.#next.promise, sleep(ms, AbortSignal.any([over.signal, ...signals]))])
    } finally {
      over.abort()
    }
  }
}
