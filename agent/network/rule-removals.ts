import type { Router } from './router.ts'

/** Below the time in which numbers of links come round again, by far. */
const defaultDelayMs = 250

/**
 * Removes the rules of closed links, many in one call of a tool, since a call costs more processor time than a sandbox. A rule
 * stays for a moment after its link, whose addresses nobody has then. An agent that starts loads the rules anew.
 */
export class RuleRemovals {
  readonly #router: Pick<Router, 'nft'>
  readonly #onError: (error: unknown) => void
  readonly #delayMs: number
  #pending: string[] = []
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(
    router: Pick<Router, 'nft'>,
    onError: (error: unknown) => void,
    { delayMs = defaultDelayMs }: { delayMs?: number } = {},
  ) {
    this.#router = router
    this.#onError = onError
    this.#delayMs = delayMs
  }

  /** Does nothing after a stop. */
  add(rules: string): void {
    if (this.#isStopped) return
    this.#pending.push(rules)
    this.#timer ??= setTimeout(() => void this.#remove(), this.#delayMs).unref()
  }

  /** Nothing is removed any more, except by a call that has begun. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#pending = []
  }

  async #remove(): Promise<void> {
    this.#timer = undefined
    const removed = this.#pending.splice(0)
    try {
      await this.#router.nft(removed.join(''))
    } catch {
      // One of them failed, so none of them was removed.
      for (const rules of removed) {
        if (this.#isStopped) return
        await this.#router.nft(rules).catch(this.#onError)
      }
    }
  }
}
