import type { Router } from './router.ts'

/** Much shorter than the time after which a new link gets the number of a closed one. */
const defaultDelayMs = 250

/**
 * Removes the rules of closed links. One call of nft removes many rules, because a call costs more processor time than a sandbox. So a
 * rule outlives its link for a moment, in which no sandbox has the addresses of the link. An agent loads all rules again when it starts.
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

  /** Drops the rules that are due. A call that has started still removes its own. */
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
      // nft changes all or nothing: one rule that cannot be removed has kept the others.
      for (const rules of removed) {
        if (this.#isStopped) return
        await this.#router.nft(rules).catch(this.#onError)
      }
    }
  }
}
