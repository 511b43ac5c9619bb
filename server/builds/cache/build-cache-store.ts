import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { isNetworkTooOld } from './network-age-statement.ts'

/*
 * Maps the inputs of a build to the company's version that has the image. Every query names the company, so that no company
 * gets another's image. The signed statement, not this map, says what the image was built from.
 */

/** A version whose image may be reused. */
export interface CachedImage {
  versionId: string
  /** The attempt that made the version ready. */
  attemptId: string
  promotedDigest: string
  layerDigest: string
  unpackedBytes: number
  /** When the oldest build started that ran one of its steps with a network; null: none had one. */
  networkSince: Date | null
}

/**
 * The company's image for these inputs, unless it is blocked, is being removed, is no longer promoted, or is too old for what
 * its steps got from a network.
 */
export async function findCachedImage(
  db: Executing,
  by: { companyId: string; key: string },
): Promise<CachedImage | undefined> {
  const { rows } = await sql<CachedImage>`
    select v.id as "versionId", v.last_build_attempt_id as "attemptId", v.promoted_digest as "promotedDigest",
      v.layer_digest as "layerDigest", v.unpacked_bytes as "unpackedBytes", c.network_since as "networkSince"
    from build_cache c
    join environment_versions v on v.id = c.version_id and v.company_id = c.company_id
    where c.company_id = ${by.companyId} and c.key = ${by.key}
      and v.state = 'ready' and v.security_state = 'clear' and v.unreferenced_since is null
      and v.layer_digest is not null and v.promoted_digest is not null
      and v.unpacked_bytes is not null and v.last_build_attempt_id is not null
      and not ${isNetworkTooOld('c')}
  `.execute(db)
  return rows[0]
}

/** Records the version for these inputs. A curated version is not recorded, since it belongs to no company. */
export async function recordCachedImage(
  trx: Trx,
  entry: { companyId: string; key: string; versionId: string; networkSince: Date | null },
): Promise<void> {
  const { companyId: company_id, key, versionId: version_id, networkSince: network_since } = entry
  await trx
    .insertInto('build_cache')
    .columns(['company_id', 'key', 'version_id', 'network_since'])
    .expression((eb) =>
      eb
        .selectFrom('environment_versions')
        .select([eb.val(company_id).as('company_id'), eb.val(key).as('key'), 'id'])
        .select(sql<Date | null>`${network_since}::timestamptz`.as('network_since'))
        .where('id', '=', version_id)
        .where('company_id', '=', company_id),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'key'])
        .doUpdateSet({ version_id, network_since, noted_at: sql<Date>`now()` }),
    )
    .execute()
}

/** Deletes the entry, so that the version's image is not reused any more. */
export const forgetCachedImage = (
  db: Executing,
  by: { companyId: string; versionId: string },
): Promise<unknown> =>
  db
    .deleteFrom('build_cache')
    .where('company_id', '=', by.companyId)
    .where('version_id', '=', by.versionId)
    .execute()

/** Deletes entries that are older than `before` or too old for a network, and those whose version has no image any more. Returns how many. */
export async function deleteStaleImages(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from build_cache where (company_id, key) in (
      select c.company_id, c.key from build_cache c join environment_versions v on v.id = c.version_id
      where c.noted_at < ${before} or v.layer_digest is null or ${isNetworkTooOld('c')}
      limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
