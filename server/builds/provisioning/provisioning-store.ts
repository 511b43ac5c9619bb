import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Database, Executing } from '../../db/database.ts'
import type { WaitingVersion } from './provisioning-schedule.ts'

/** A version to provision, with the digests of its promoted image. */
export interface UnprovisionedVersion {
  id: string
  company_id: string | null
  layerDigest: string | null
  promotedDigest: string | null
}

/** Versions that wait for provisioning. Versions with a live build attempt are left to the build. */
const waiting = (db: Executing) =>
  db
    .selectFrom('environment_versions as v')
    .modifyFront(acrossCompanies('a worker provisions for all companies'))
    .where('v.state', '=', 'regional_provisioning')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('build_attempts as a')
            .select('a.id')
            .whereRef('a.environment_version_id', '=', 'v.id')
            .where('a.terminal_at', 'is', null),
        ),
      ),
    )

const companyVersionsMax = 100

/** The versions of each company that have waited longest, at most 100 of one. */
export const listUnprovisioned = (db: Executing): Promise<WaitingVersion[]> =>
  db
    .selectFrom(
      waiting(db)
        .select([
          'v.id',
          'v.company_id',
          'v.state_changed_at',
          sql<number>`row_number() over (partition by v.company_id order by v.state_changed_at, v.id)`.as(
            'place',
          ),
        ])
        .as('listed'),
    )
    .select(['id', 'company_id'])
    .where('place', '<=', companyVersionsMax)
    .orderBy('state_changed_at')
    .orderBy('id')
    .execute()

/**
 * Runs `work` for a version that still waits, in one worker at a time. Returns false when another worker has it, or it no
 * longer waits. The claim is a lock of one connection, so it ends with the worker that holds it. Writes over
 * that connection are under the claim.
 */
export async function withUnprovisioned(
  db: Database,
  versionId: string,
  work: (version: UnprovisionedVersion, holder: Database) => Promise<void>,
): Promise<boolean> {
  const key = sql`hashtextextended(${`provisioning ${versionId}`}, 0)`
  return db.connection().execute(async (holder) => {
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${key}) as held`.execute(holder)
    if (!rows[0]?.held) return false
    try {
      const version = await waiting(holder)
        .select([
          'v.id',
          'v.company_id',
          'v.layer_digest as layerDigest',
          'v.promoted_digest as promotedDigest',
        ])
        .where('v.id', '=', versionId)
        .executeTakeFirst()
      if (!version) return false
      await work(version, holder)
      return true
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(holder)
    }
  })
}
