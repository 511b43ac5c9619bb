/** Smaller results are stored at once, since they load worker and disk little. */
const largeBytes = 4 * 1024 * 1024

/**
 * Stores large results of one company one after another, so that a company whose runs end together takes no larger share of
 * the worker and the disk than another one. In memory of one worker.
 */
export class ResultTurns {
  /** By company: resolves when the last requested turn has ended. */
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for a turn and returns the function that ends it. Rejects with the signal's reason if that fires first. */
  async take(companyId: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    if (bytes < largeBytes) return () => undefined
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = this.#last.get(companyId)
    const last = Promise.all([before, ended]).then(() => {
      if (this.#last.get(companyId) === last) this.#last.delete(companyId)
    })
    this.#last.set(companyId, last)
    const aborted = Promise.withResolvers<void>()
    const abort = () => aborted.resolve()
    signal.addEventListener('abort', abort, { once: true })
    await Promise.race([before, aborted.promise])
    signal.removeEventListener('abort', abort)
    if (signal.aborted) end()
    signal.throwIfAborted()
    return end
  }
}
