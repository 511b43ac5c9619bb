import { profiles } from '@sandbox-jobs/contract/resources/profile.ts'
import { type RawBuilder, sql } from 'kysely'
import { buildMemoryByProfile } from './build-sandbox.ts'

/* Parts of the statements that claim runs and builds: the memory of a sandbox by its profile. */

/** By the column that has the profile; what no list names counts as the largest. */
export const mibOf = (
  column: string,
  mib: readonly (readonly [profile: string, mib: number])[],
): RawBuilder<number> =>
  sql<number>`(case ${sql.ref(column)} ${sql.join(
    mib.map(([profile, size]) => sql`when ${sql.lit(profile)} then ${sql.lit(size)}`),
    sql` `,
  )} else ${sql.lit(Math.max(...mib.map(([, size]) => size)))} end)`

/** What a run was promised. */
export const promisedMemoryMib = (column: string): RawBuilder<number> =>
  mibOf(
    column,
    profiles.map(({ id, provider_memory_mib: mib }) => [id, mib]),
  )

/** What a build was promised. */
export const buildMemoryMib = (column: string): RawBuilder<number> => mibOf(column, buildMemoryByProfile)
