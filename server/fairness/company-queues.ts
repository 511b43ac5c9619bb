import type { Clock } from '../base/clock.ts'
import { onBehalfOf } from '../base/current-request.ts'
import { CompanyRounds, type Round } from './company-rounds.ts'
import type { CompanySchedule } from './company-schedule-statement.ts'

export interface CompanyQueuesOptions<Item extends { company_id: string }> {
  clock: Clock
  /** Whether items may be handled now; asked before each round and each item. Until then all wait. */
  mayHandle: () => Promise<boolean>
  /** The oldest waiting items of the next companies, in the order of each company. */
  listWaiting(turns: CompanySchedule): Promise<Item[]>
  /** `waits`: the item has to wait, and those of its company after it. */
  handle: (item: Item) => Promise<'handled' | 'waits'>
}

const companiesPerRound = 50
const itemsPerCompany = 20
/** Companies whose items are handled at the same time. */
const companiesAtOnce = 4
/** A company whose items take long has fewer of them in its turn. */
const turnMs = 250

/** Handles waiting items of all companies, a few of each in its turn. */
export class CompanyQueues<Item extends { company_id: string }> {
  readonly #options: CompanyQueuesOptions<Item>
  readonly #rounds = new CompanyRounds(companiesPerRound, (after) => this.#round(after))

  constructor(options: CompanyQueuesOptions<Item>) {
    this.#options = options
  }

  /** Rounds until nothing can be handled now, or the signal fires. Returns the number of items that it handled. */
  all(signal?: AbortSignal): Promise<number> {
    return this.#rounds.all(signal)
  }

  /** One round over the next companies. Returns the number of items that it handled. */
  once(): Promise<number> {
    return this.#rounds.once()
  }

  async #round(afterCompany: string): Promise<Round> {
    if (!(await this.#options.mayHandle())) return { handled: 0, companies: [] }
    const items = await this.#options.listWaiting({
      afterCompany,
      companies: companiesPerRound,
      perCompany: itemsPerCompany,
    })
    const ofCompanies = [...Map.groupBy(items, ({ company_id }) => company_id)]
    const companies = ofCompanies.map(([id]) => id)
    let handled = 0
    const handleNext = async () => {
      for (let next = ofCompanies.shift(); next; next = ofCompanies.shift())
        handled += await this.#handleInOrder(...next)
    }
    await Promise.all(Array.from({ length: companiesAtOnce }, handleNext))
    return { handled, companies }
  }

  /** Handles items of one company until one has to wait, none may be handled, or its turn is over. Returns their number. */
  async #handleInOrder(companyId: string, items: readonly Item[]): Promise<number> {
    const { clock, mayHandle, handle } = this.#options
    const until = clock.now().getTime() + turnMs
    let handled = 0
    for (const item of items) {
      if (!(await mayHandle())) break
      if ((await onBehalfOf(companyId, () => handle(item))) === 'waits') break
      handled += 1
      if (clock.now().getTime() > until) break
    }
    return handled
  }
}
