import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { type RawBuilder, sql } from 'kysely'
import { buildMemory } from './build-memory.ts'

/* Parts of the statements that claim runs and builds: the memory that a sandbox reserves, by profile. */

/** `column` has the profile; a profile that is not in the list counts as the largest. */
export const mibOf = (
  column: string,
  mib: readonly (readonly [profile: string, mib: number])[],
): RawBuilder<number> =>
  sql<number>`(case ${sql.ref(column)} ${sql.join(
    mib.map(([profile, size]) => sql`when ${sql.lit(profile)} then ${sql.lit(size)}`),
    sql` `,
  )} else ${sql.lit(Math.max(...mib.map(([, size]) => size)))} end)`

/** Memory that a run reserves, in MiB. */
export const promisedMemoryMib = (column: string): RawBuilder<number> =>
  mibOf(
    column,
    profiles.map(({ id, provider_memory_mib: mib }) => [id, mib]),
  )

/** Memory that a build reserves, in MiB. */
export const buildMemoryMib = (column: string): RawBuilder<number> => mibOf(column, Object.entries(buildMemory))
