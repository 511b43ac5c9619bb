/** Capacity that the builds of all companies share on one machine. */
export interface BuildSlots {
  /** Maximum number of concurrent builds. */
  slots: number
  /** Slots of these that only a company without a running build may use. */
  reserved: number
  /** Memory for all sandboxes together, in MiB. Builds get what runs have not reserved. */
  memoryMib: number
}

/** More than any machine has, so memory is no limit. */
const unboundedMib = 2 ** 30

/** Reserves one of two or more slots, so that no company takes all. A single slot cannot be reserved. */
export const buildSlots = ({
  slots,
  memoryMib = unboundedMib,
}: {
  slots: number
  memoryMib?: number
}): BuildSlots => ({ slots, reserved: slots > 1 ? 1 : 0, memoryMib })
