import type { Log } from '../base/logging.ts'
import { type BringDeps, bringLiveLog } from './bring-live-log.ts'

/** Woken by whoever follows a log; the payload is whose it is. */
export const liveLogChannel = 'live_logs'

interface Offer {
  sandboxId: string
  ahead: number
  over: AbortController
  isBrought: boolean
}

/** The sandboxes that a worker has, and whose log each of them writes: it is brought while somebody follows it. */
export class LogOffers {
  readonly #deps: BringDeps & { log: Log }
  readonly #offers = new Map<string, Offer>()

  constructor(deps: BringDeps & { log: Log }) {
    this.#deps = deps
  }

  /**
   * From now on the log comes from this sandbox, which need not be there yet, `ahead` bytes further on than its own log
   * counts. The answer takes the offer back.
   */
  offer(subjectId: string, sandboxId: string, ahead = 0): () => void {
    const former = this.#offers.get(subjectId)
    former?.over.abort()
    const offer: Offer = { sandboxId, ahead, over: new AbortController(), isBrought: false }
    this.#offers.set(subjectId, offer)
    if (former?.isBrought) this.wanted(subjectId)
    return () => {
      offer.over.abort()
      if (this.#offers.get(subjectId) === offer) this.#offers.delete(subjectId)
    }
  }

  /** Somebody follows this log; those of others are not in this worker's hands. */
  wanted(subjectId: string): void {
    const offer = this.#offers.get(subjectId)
    if (!offer || offer.isBrought) return
    offer.isBrought = true
    const { sandboxId, ahead, over } = offer
    bringLiveLog(this.#deps, { subjectId, sandboxId, ahead }, over.signal)
      .catch((error: unknown) =>
        this.#deps.log.warn({ error: String(error), subject: subjectId }, 'log not brought'),
      )
      .finally(() => {
        offer.isBrought = false
      })
  }

  stop(): void {
    for (const { over } of this.#offers.values()) over.abort()
    this.#offers.clear()
  }
}
