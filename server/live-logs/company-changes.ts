import type { EventEmitter } from 'node:events'
import { sleep } from '../base/clock.ts'

/** Notified by changes in a company in which somebody follows events; the payload is `COMPANY KIND ID`. */
export const companyChangesChannel = 'company_changes'

/**
 * Kinds of changes. Their ids are those of runs, of people with changed notifications, of build attempts, of rooms whose menu has
 * changed (`*`: any of the company), and of people whose proposals have changed.
 */
export const changeKinds = ['run', 'user', 'build', 'menu', 'proposal'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** Changes in a company. */
export interface Changes {
  ids: Record<ChangeKind, string[]>
  /** False where more has changed than is known. */
  areAll: boolean
}

/** Changes in one company, for one follower. */
export interface ChangeSubscription {
  /** Resolves when there are changes, or after `withinMs`. */
  next(withinMs: number): Promise<void>
  /** The changes since the last call. */
  take(): Changes
  close(): void
}

/** Ids of each kind that wait for a follower. With more of them it has to read everything anew. */
const waitingMax = 1000

export class CompanyChanges implements ChangeSubscription {
  readonly #ids = mapKinds(() => new Set<string>())
  readonly #leave: () => void
  #areAll = true
  #pending = Promise.withResolvers<void>()

  /** `events` has `companyEvent(companyId)` with kind and id, and `lost` where notifications may have been lost. */
  constructor(events: EventEmitter, companyId: string, lost: symbol, close: () => void) {
    const name = companyEvent(companyId)
    events.on(name, this.#add).on(lost, this.#lose)
    this.#leave = () => {
      events.off(name, this.#add).off(lost, this.#lose)
      close()
    }
  }

  readonly #add = (kind: ChangeKind, id: string): void => {
    const ids = this.#ids[kind]
    if (ids.size < waitingMax) ids.add(id)
    else this.#areAll = false
    this.#pending.resolve()
  }

  readonly #lose = (): void => {
    this.#areAll = false
    this.#pending.resolve()
  }

  async next(withinMs: number): Promise<void> {
    const late = new AbortController()
    await Promise.race([this.#pending.promise, sleep(withinMs, late.signal)])
    late.abort()
  }

  take(): Changes {
    const changes = { ids: mapKinds((kind) => [...this.#ids[kind]]), areAll: this.#areAll }
    for (const kind of changeKinds) this.#ids[kind].clear()
    this.#areAll = true
    this.#pending = Promise.withResolvers<void>()
    return changes
  }

  close(): void {
    this.#leave()
  }
}

/** The name under which changes in a company are emitted. */
export const companyEvent = (companyId: string): string => `company ${companyId}`

const mapKinds = <Value>(make: (kind: ChangeKind) => Value) =>
  Object.fromEntries(changeKinds.map((kind) => [kind, make(kind)])) as Record<ChangeKind, Value>

/** No changes. */
export const noChanges = (): Changes => ({ ids: mapKinds(() => []), areAll: true })
