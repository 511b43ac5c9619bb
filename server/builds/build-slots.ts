/** What the builds of all companies share on one machine. */
export interface BuildSlots {
  /** Builds at once. */
  slots: number
  /** Of these, for the first build of a company that has none. */
  reserved: number
  /** Memory that builds may have beside what runs have, of all that sandboxes have together, in MiB. */
  memoryMib: number
}

/** More than any machine has: memory bounds nothing. */
const unboundedMib = 2 ** 30

/** One of two or more is kept, so that no company has them all; with a single one nothing can be. */
export const buildSlots = ({
  slots,
  memoryMib = unboundedMib,
}: {
  slots: number
  memoryMib?: number
}): BuildSlots => ({ slots, reserved: slots > 1 ? 1 : 0, memoryMib })
