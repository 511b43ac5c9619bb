import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'

/** Memory of a build sandbox in MiB, by build profile. */
export const buildMemory: Readonly<Record<BuildProfile, number>> = { standard: 2048, fast: 4096, large: 8192 }
