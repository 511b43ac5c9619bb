/** The outcome of one round. */
export interface Round {
  handled: number
  /** Companies that had waiting work in it, at most as many as a round looks at. */
  companies: readonly string[]
}

/** Rounds over the companies in turn: each continues after the last company of the one before it. */
export class CompanyRounds {
  readonly #companiesPerRound: number
  readonly #round: (afterCompany: string) => Promise<Round>
  /** Last company served. */
  #after = ''

  constructor(companiesPerRound: number, round: (afterCompany: string) => Promise<Round>) {
    this.#companiesPerRound = companiesPerRound
    this.#round = round
  }

  /** One round. Returns how much it handled. */
  async once(): Promise<number> {
    const { handled, companies } = await this.#round(this.#after)
    const served = [...new Set(companies)].toSorted()
    this.#after = served.length < this.#companiesPerRound ? '' : (served.at(-1) ?? '')
    return handled
  }

  /** Rounds until one over all companies handles nothing, or the signal fires, at most `max`. */
  async all(signal?: AbortSignal, max = Number.POSITIVE_INFINITY): Promise<number> {
    let handled = 0
    for (let sinceStart = 0, left = max; left > 0 && !signal?.aborted; left -= 1) {
      const round = await this.once()
      handled += round
      sinceStart += round
      if (this.#after !== '') continue
      if (sinceStart === 0) break
      sinceStart = 0
    }
    return handled
  }
}
