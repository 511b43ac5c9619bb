import { Counts } from './counts.ts'

export interface SlotBounds {
  /** Slots of all owners together. */
  all: number
  /** Slots of one owner. */
  each: number
  /** Slots of one owner even when `all` are occupied, so that others cannot take the last one. */
  assuredEach: number
}

/** Slots of one process, shared by owners; no owner can occupy all of them. */
export class SharedSlots {
  readonly #bounds: SlotBounds
  readonly #taken = new Counts()

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds
  }

  /** Takes a slot; returns the function that releases it, or undefined when the owner gets none now. */
  take(owner: string): (() => void) | undefined {
    const { all, each, assuredEach } = this.#bounds
    const taken = this.#taken.of(owner)
    if (taken >= each || (this.#taken.sum >= all && taken >= assuredEach)) return undefined
    this.#taken.add(owner, 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#taken.add(owner, -1)
      isTaken = false
    }
  }

  /** Does the work in a slot. Throws what `refused` makes when the owner gets none now. */
  async within<Result>(owner: string, refused: () => Error, work: () => Promise<Result>): Promise<Result> {
    const release = this.take(owner)
    if (!release) throw refused()
    try {
      return await work()
    } finally {
      release()
    }
  }
}
