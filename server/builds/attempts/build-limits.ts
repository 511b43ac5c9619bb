import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { buildMemory } from '../../capacity/build-memory.ts'
import { type RunCapacity, runCapacity } from '../../capacity/run-capacity.ts'

const mib = 1024 ** 2
const gib = 1024 ** 3

interface BuildLimits {
  vcpu: number
  memoryBytes: number
  diskBytes: number
  timeoutMs: number
}

/** Limits of a build sandbox, by build profile. */
export const buildLimits: Record<BuildProfile, BuildLimits> = {
  standard: { vcpu: 1, memoryBytes: buildMemory.standard * mib, diskBytes: 8 * gib, timeoutMs: 15 * 60_000 },
  fast: { vcpu: 2, memoryBytes: buildMemory.fast * mib, diskBytes: 8 * gib, timeoutMs: 15 * 60_000 },
  large: { vcpu: 4, memoryBytes: buildMemory.large * mib, diskBytes: 16 * gib, timeoutMs: 60 * 60_000 },
}

export const buildLogMaxBytes = 16 * mib

/** Capacity that the builds of all companies share on one executor. */
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
