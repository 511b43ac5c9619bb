/** Serial work of one process: that of one key happens one after another, and that of different keys at the same time. */
export class SerialByKey {
  /** By key: resolves when the last requested work has ended. */
  readonly #last = new Map<string, Promise<void>>()

  /**
   * Waits for the work before it and returns the function that ends the caller's. Rejects with the signal's reason if that fires
   * first.
   */
  async take(key: string, signal?: AbortSignal): Promise<() => void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = this.#last.get(key)
    const last = Promise.all([before, ended]).then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key)
    })
    this.#last.set(key, last)
    const aborted = Promise.withResolvers<void>()
    const abort = () => aborted.resolve()
    signal?.addEventListener('abort', abort, { once: true })
    await Promise.race([before, aborted.promise])
    signal?.removeEventListener('abort', abort)
    if (signal?.aborted) end()
    signal?.throwIfAborted()
    return end
  }
}
