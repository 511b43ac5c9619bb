import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'

/*
 * Which version of a company has the image of what inputs. The company is part of every question, so that none is
 * answered with what another one built; what the image is made of is read from what was signed, not from here.
 */

/** A version whose image may be taken. */
export interface CachedImage {
  versionId: string
  /** The attempt that made the version ready. */
  attemptId: string
  promotedDigest: string
  layerDigest: string
  unpackedBytes: number
}

/** The company's image of these inputs, unless it was blocked, is on its way out or nothing vouches for it any more. */
export async function findCachedImage(
  db: Executing,
  by: { companyId: string; key: string },
): Promise<CachedImage | undefined> {
  const { rows } = await sql<CachedImage>`
    select v.id as "versionId", v.last_build_attempt_id as "attemptId", v.promoted_digest as "promotedDigest",
      v.layer_digest as "layerDigest", v.unpacked_bytes as "unpackedBytes"
    from build_cache c
    join environment_versions v on v.id = c.version_id and v.company_id = c.company_id
    where c.company_id = ${by.companyId} and c.key = ${by.key}
      and v.state = 'ready' and v.security_state = 'clear' and v.unreferenced_since is null
      and v.layer_digest is not null and v.promoted_digest is not null
      and v.unpacked_bytes is not null and v.last_build_attempt_id is not null
  `.execute(db)
  return rows[0]
}

/** From now on the version stands for these inputs; a curated one stands for none, as it is of no company. */
export async function noteCachedImage(
  trx: Trx,
  entry: { companyId: string; key: string; versionId: string },
): Promise<void> {
  const { companyId: company_id, key, versionId: version_id } = entry
  await trx
    .insertInto('build_cache')
    .columns(['company_id', 'key', 'version_id'])
    .expression((eb) =>
      eb
        .selectFrom('environment_versions')
        .select([eb.val(company_id).as('company_id'), eb.val(key).as('key'), 'id'])
        .where('id', '=', version_id)
        .where('company_id', '=', company_id),
    )
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'key']).doUpdateSet({ version_id, noted_at: sql<Date>`now()` }),
    )
    .execute()
}

/** Nothing is taken from that version any more. */
export const forgetCachedImage = (
  db: Executing,
  by: { companyId: string; versionId: string },
): Promise<unknown> =>
  db
    .deleteFrom('build_cache')
    .where('company_id', '=', by.companyId)
    .where('version_id', '=', by.versionId)
    .execute()

/** Answers how many are gone: those that were not used for long, and those whose version has no image to give. */
export async function deleteStaleImages(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from build_cache where (company_id, key) in (
      select c.company_id, c.key from build_cache c join environment_versions v on v.id = c.version_id
      where c.noted_at < ${before} or v.layer_digest is null
      limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
