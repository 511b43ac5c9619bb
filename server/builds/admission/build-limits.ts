import { type BuildProfile, buildProfiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'

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
  standard: { vcpu: 1, memoryBytes: 2 * gib, diskBytes: 8 * gib, timeoutMs: 15 * 60_000 },
  fast: { vcpu: 2, memoryBytes: 4 * gib, diskBytes: 8 * gib, timeoutMs: 15 * 60_000 },
  large: { vcpu: 4, memoryBytes: 8 * gib, diskBytes: 16 * gib, timeoutMs: 60 * 60_000 },
}

/** Memory that a build reserves on the machine, by build profile, in MiB. */
export const buildMemoryByProfile: readonly (readonly [profile: BuildProfile, mib: number])[] =
  buildProfiles.map((profile) => [profile, buildLimits[profile].memoryBytes / mib])

export const buildLogMaxBytes = 16 * mib
