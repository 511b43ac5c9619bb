import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { buildMemory } from '../../capacity/build-memory.ts'

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
