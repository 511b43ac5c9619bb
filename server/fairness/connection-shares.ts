/** Work that waits for a connection; called when it has one. */
export type Waiting = () => void

interface Owner {
  held: number
  waiting: Waiting[]
}

/** The most that one owner holds while another one holds or waits. */
const thirdOf = 3

/**
 * Shares a number of connections among owners. An owner that is alone leaves a third free, so that another one finds
 * some; of several each has an equal part, a third at most. The service's own work has no owner: it is bounded, all
 * requests depend on it, so it is served first and some connections are only for it.
 */
export class ConnectionShares {
  readonly #all: number
  /** For owners together. */
  readonly #shared: number
  readonly #third: number
  /** Owners that hold or wait; the one that got a connection last is the last one. */
  readonly #owners = new Map<string, Owner>()
  readonly #ofService: Owner = { held: 0, waiting: [] }
  #held = 0
  #heldByOwners = 0

  constructor(all: number) {
    this.#all = all
    this.#shared = Math.max(1, all - Math.floor(all / 6))
    this.#third = Math.max(1, Math.floor(all / thirdOf))
  }

  /** Takes a connection; false if the owner has none now. */
  take(owner: string | undefined): boolean {
    const known = this.#ownerOf(owner)
    if (known.waiting.length > 0 || !this.#mayTake(known)) {
      this.#forgetUnused(owner, known)
      return false
    }
    this.#give(owner, known)
    return true
  }

  /** Call it after `take` was false. */
  wait(owner: string | undefined, waiting: Waiting): void {
    this.#ownerOf(owner).waiting.push(waiting)
  }

  /** Stops waiting. */
  leave(owner: string | undefined, waiting: Waiting): void {
    const known = this.#ownerOf(owner)
    const at = known.waiting.indexOf(waiting)
    if (at >= 0) known.waiting.splice(at, 1)
    this.#forgetUnused(owner, known)
    // An owner fewer: the others may have more.
    this.#giveOut()
  }

  release(owner: string | undefined): void {
    const known = this.#ownerOf(owner)
    this.#count(known, -1)
    this.#forgetUnused(owner, known)
    this.#giveOut()
  }

  /** Connections of owners together and of the service itself, and requests for one that wait. */
  counts(): Record<'companies' | 'service', { held: number; waiting: number }> {
    const waiting = [...this.#owners.values()].reduce((sum, owner) => sum + owner.waiting.length, 0)
    const { held, waiting: own } = this.#ofService
    return { companies: { held: this.#heldByOwners, waiting }, service: { held, waiting: own.length } }
  }

  #giveOut(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [name, owner] = next
      this.#give(name, owner)
      owner.waiting.shift()?.()
    }
  }

  #give(name: string | undefined, owner: Owner): void {
    this.#count(owner, 1)
    if (name === undefined) return
    this.#owners.delete(name)
    this.#owners.set(name, owner)
  }

  /** The owner that gets the next connection: of those that may have one, the one that holds the fewest, then the one that got none for longest. */
  #next(): [string | undefined, Owner] | undefined {
    const service = this.#ofService
    if (service.waiting.length > 0) return this.#mayTake(service) ? [undefined, service] : undefined
    let best: [string, Owner] | undefined
    for (const [name, owner] of this.#owners)
      if (owner.waiting.length > 0 && (!best || owner.held < best[1].held) && this.#mayTake(owner))
        best = [name, owner]
    return best
  }

  #mayTake(owner: Owner): boolean {
    if (this.#held >= this.#all) return false
    if (owner === this.#ofService) return true
    if (this.#heldByOwners >= this.#shared) return false
    const owners = this.#owners.size
    const share =
      owners > 1 ? Math.min(this.#third, Math.floor(this.#shared / owners)) : this.#all - this.#third
    return owner.held < Math.max(1, share)
  }

  #count(owner: Owner, by: 1 | -1): void {
    owner.held += by
    this.#held += by
    if (owner !== this.#ofService) this.#heldByOwners += by
  }

  #ownerOf(name: string | undefined): Owner {
    if (name === undefined) return this.#ofService
    const known = this.#owners.get(name)
    if (known) return known
    const owner = { held: 0, waiting: [] }
    this.#owners.set(name, owner)
    return owner
  }

  #forgetUnused(name: string | undefined, { held, waiting }: Owner): void {
    if (name !== undefined && held + waiting.length === 0) this.#owners.delete(name)
  }
}
