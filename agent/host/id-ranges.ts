/** Number of ids in one range. */
export const rangeSize = 65_536

/** First id of the storage range, which owns images on disk; only the unpacker runs with these ids. */
export const storageIdBase = 0x3fff_0000

const poolBase = 0x4000_0000
const poolSlots = 8192

/** Allocates an id range per live sandbox. A range is free again when no process of the sandbox is left. */
export class IdRanges {
  readonly #taken = new Set<number>()
  #next = 0

  /** The lowest id of a free range; undefined if there is none. Ranges are used round robin. */
  take(): number | undefined {
    if (this.#taken.size >= poolSlots) return undefined
    while (this.#taken.has(this.#next)) this.#next = (this.#next + 1) % poolSlots
    const slot = this.#next
    this.#taken.add(slot)
    this.#next = (slot + 1) % poolSlots
    return poolBase + slot * rangeSize
  }

  /** Marks the range of a live sandbox as used, after a restart of the agent. */
  adopt(base: number): void {
    this.#taken.add((base - poolBase) / rangeSize)
  }

  free(base: number): void {
    this.#taken.delete((base - poolBase) / rangeSize)
  }
}
