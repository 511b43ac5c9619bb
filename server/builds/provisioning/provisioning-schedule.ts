/** A version that waits for provisioning; without a company it is curated. */
export interface WaitingVersion {
  id: string
  company_id: string | null
}

const firstPauseMs = 5000
const lastPauseMs = 60_000

interface Postponed {
  pauseMs: number
  untilMs: number
}

/**
 * Which version is provisioned next. Companies have turns, so that one with many versions delays no other by more than one of them;
 * a version that failed waits longer each time, up to a minute, and others go first.
 */
export class ProvisioningSchedule {
  readonly #nowMs: () => number
  readonly #postponed = new Map<string, Postponed>()
  /** The company that had the last turn. */
  #after = ''

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Takes the next of these versions, of which those of a company are in order; undefined if all of them have to wait. */
  next(waiting: readonly WaitingVersion[]): string | undefined {
    const ids = new Set(waiting.map(({ id }) => id))
    for (const id of this.#postponed.keys()) if (!ids.has(id)) this.#postponed.delete(id)
    const nowMs = this.#nowMs()
    const first = new Map<string, string>()
    for (const { id, company_id } of waiting) {
      const company = company_id ?? ''
      const isDue = (this.#postponed.get(id)?.untilMs ?? 0) <= nowMs
      if (isDue && !first.has(company)) first.set(company, id)
    }
    const companies = [...first.keys()].sort()
    const company = companies.find((each) => each > this.#after) ?? companies[0]
    if (company === undefined) return undefined
    this.#after = company
    return first.get(company)
  }

  /** The version was not provisioned now. */
  postpone(id: string): void {
    const pauseMs = Math.min(lastPauseMs, (this.#postponed.get(id)?.pauseMs ?? firstPauseMs / 2) * 2)
    this.#postponed.set(id, { pauseMs, untilMs: this.#nowMs() + pauseMs })
  }
}
