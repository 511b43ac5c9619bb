import { Detached } from './patience.ts'

/** What is smaller is stored at once: it takes little of the worker and of the disk. */
const largeBytes = 4 * 1024 * 1024

/**
 * Large results of one company are stored one after another, so that a company whose runs end together takes no more of the
 * worker and of the disk than another one. Held for one worker.
 */
export class ResultTurns {
  /** Resolves when the last one that asked has ended its turn, by company. */
  readonly #last = new Map<string, Promise<void>>()

  /** Resolves when it is the result's turn, with what ends the turn. Rejects with `Detached` when the signal comes first. */
  async take(companyId: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    if (bytes < largeBytes) return () => undefined
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = this.#last.get(companyId)
    const last = Promise.all([before, ended]).then(() => {
      if (this.#last.get(companyId) === last) this.#last.delete(companyId)
    })
    this.#last.set(companyId, last)
    const detached = Promise.withResolvers<void>()
    const detach = () => detached.resolve()
    signal.addEventListener('abort', detach, { once: true })
    await Promise.race([before, detached.promise])
    signal.removeEventListener('abort', detach)
    if (!signal.aborted) return end
    end()
    throw new Detached()
  }
}
