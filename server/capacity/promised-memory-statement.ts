import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { type RawBuilder, sql } from 'kysely'
import { buildMemory } from './build-memory.ts'
import { memoryByBuildProfile, memoryByProfile, type RunCapacity } from './run-capacity.ts'

/* Parts of statements: the memory that a sandbox reserves, in MiB. `column` has its profile. */

/** A profile that is not in the list counts as the largest. */
const mibOf = (
  column: string,
  mib: readonly (readonly [profile: string, mib: number])[],
): RawBuilder<number> =>
  sql<number>`(case ${sql.ref(column)} ${sql.join(
    mib.map(([profile, size]) => sql`when ${sql.lit(profile)} then ${sql.lit(size)}`),
    sql` `,
  )} else ${sql.lit(Math.max(...mib.map(([, size]) => size)))} end)`

/** Memory that a run counts for on this machine. */
export const runMemoryMib = (capacity: RunCapacity, column: string): RawBuilder<number> =>
  mibOf(column, memoryByProfile(capacity))

/** Memory that a build counts for on this machine. */
export const buildMemoryMib = (capacity: RunCapacity, column: string): RawBuilder<number> =>
  mibOf(column, memoryByBuildProfile(capacity))

/** Memory that a run reserves on a machine that is large enough. */
export const promisedMemoryMib = (column: string): RawBuilder<number> =>
  mibOf(
    column,
    profiles.map(({ id, provider_memory_mib: mib }) => [id, mib]),
  )

/** Memory that a build reserves on a machine that is large enough. */
export const promisedBuildMemoryMib = (column: string): RawBuilder<number> =>
  mibOf(column, Object.entries(buildMemory))
