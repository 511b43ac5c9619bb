import { sleep } from '../../server/base/clock.ts'

/** Tells everybody who waits that something has changed. */
export class Changes {
  #next = Promise.withResolvers<void>()

  tell(): void {
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
