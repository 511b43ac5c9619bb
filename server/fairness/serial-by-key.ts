/** SerialByKey of one process: work of one owner happens one after another, and that of different owners at the same time. */
export class SerialByKey {
  /** By owner: resolves when the last requested turn has ended. */
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for a turn and returns the function that ends it. Rejects with the signal's reason if that fires first. */
  async take(owner: string, signal?: AbortSignal): Promise<() => void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = this.#last.get(owner)
    const last = Promise.all([before, ended]).then(() => {
      if (this.#last.get(owner) === last) this.#last.delete(owner)
    })
    this.#last.set(owner, last)
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
