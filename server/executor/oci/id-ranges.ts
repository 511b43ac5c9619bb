/** Ids of one range. */
export const rangeSize = 65_536

/** Owns images on disk; no live sandbox but the unpacker ever runs as it. */
export const storageIdBase = 0x3fff_0000

const poolBase = 0x4000_0000
const poolSlots = 8192

/** Hands each live sandbox an id range of its own. A slot is free again once nothing of the sandbox lives. */
export class IdRanges {
  readonly #taken = new Set<number>()
  #next = 0

  /** The lowest id of a range nobody has; undefined when all are taken. Ranges are used in turn. */
  take(): number | undefined {
    if (this.#taken.size >= poolSlots) return undefined
    while (this.#taken.has(this.#next)) this.#next = (this.#next + 1) % poolSlots
    const slot = this.#next
    this.#taken.add(slot)
    this.#next = (slot + 1) % poolSlots
    return poolBase + slot * rangeSize
  }

  /** Marks a range as taken that a sandbox already has, after a restart of the agent. */
  adopt(base: number): void {
    this.#taken.add((base - poolBase) / rangeSize)
  }

  free(base: number): void {
    this.#taken.delete((base - poolBase) / rangeSize)
  }
}
