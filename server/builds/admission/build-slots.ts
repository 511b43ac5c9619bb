import { type RunCapacity, runCapacity } from '../../capacity/run-capacity.ts'

/** Capacity that the builds of all companies share on one machine. */
export interface BuildSlots {
  /** Maximum number of concurrent builds. */
  slots: number
  /** Slots of these that only a company without a running build may use. */
  reserved: number
  /** Of the machine. Builds get the memory that runs have not reserved. */
  capacity: RunCapacity
}

/** Reserves one of two or more slots, so that no company takes all. A single slot cannot be reserved. */
export const buildSlots = ({
  slots,
  capacity = runCapacity({ slots }),
}: {
  slots: number
  /** Absent: memory sets no bound. */
  capacity?: RunCapacity
}): BuildSlots => ({ slots, reserved: slots > 1 ? 1 : 0, capacity })
