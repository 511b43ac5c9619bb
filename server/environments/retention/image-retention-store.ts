import { imageRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import { type RawBuilder, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { isDue } from '../../work/removal.ts'

/*
 * Writes the image columns of `environment_versions` for unreferenced images.
 *
 *   layer_digest set ── unreferenced_since set ── (days pass) ── retiring_layer_digest set ── both null
 *
 * An image is unreferenced if its version has ended or its environment is archived, and no published version of a
 * listed task uses it. The conditions on tasks and runs come from their domains. A reader that finds `layer_digest` null cannot start the version. Until then a new reference
 * is possible, and it resets the time.
 */

/** Conditions on `environment_versions v`, from the domains that use versions. */
export interface ImageUses {
  /** A task that people can run, or a door, uses the version. */
  byTask: RawBuilder<boolean>
  /** A run that has not ended uses the version. */
  byRun: RawBuilder<boolean>
}

/** Whether a version in that state keeps its image in an environment in that state, used or not. */
export const isKeptByEnvironment = ({
  version,
  environment,
}: Record<'version' | 'environment', RawBuilder<unknown>>): RawBuilder<boolean> => sql<boolean>`not (
  ${version} in ('archived', 'rejected', 'abandoned', 'superseded') or (${version} = 'ready' and ${environment} = 'archived'))`

/** Condition on `environment_versions v` with its `environments e`. */
const unreferenced = ({ byTask }: ImageUses) => sql<boolean>`
  not ${isKeptByEnvironment({ version: sql`v.state`, environment: sql`e.state` })} and not ${byTask}`

/** Starts the retention time of images that have lost their last reference. */
export async function markUnreferenced(
  db: Executing,
  uses: ImageUses,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    update environment_versions set unreferenced_since = ${now} where id in (
      select v.id from environment_versions v join environments e on e.id = v.environment_id
      where v.layer_digest is not null and v.unreferenced_since is null and ${unreferenced(uses)}
      limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Resets the retention time of images that are referenced again. */
export async function markReferenced(db: Executing, uses: ImageUses, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    update environment_versions set unreferenced_since = null where id in (
      select v.id from environment_versions v join environments e on e.id = v.environment_id
      where v.unreferenced_since is not null and v.layer_digest is not null and not (${unreferenced(uses)})
      limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Versions whose image has been unreferenced for longer than the retention time of their company. */
export async function listOverdueImages(
  db: Executing,
  uses: ImageUses,
  { now, limit }: { now: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a sweep of all companies')}
    select v.id from environment_versions v
    join environments e on e.id = v.environment_id
    left join company_settings s on s.company_id = v.company_id
    where v.layer_digest is not null
      and v.unreferenced_since < ${now}::timestamptz
        - make_interval(days => coalesce(s.unreferenced_image_retention_days, ${imageRetentionDefaultDays}))
      and ${unreferenced(uses)} and not ${uses.byRun}
    order by v.unreferenced_since limit ${limit}
  `.execute(db)
  return rows.map((row) => row.id)
}

/** Checks again, and locks the version until the transaction ends. Undefined if its image is referenced again. */
export async function lockUnreferenced(
  trx: Trx,
  uses: ImageUses,
  versionId: string,
): Promise<{ state: string; company_id: string | null } | undefined> {
  const { rows } = await sql<{
    state: string
    company_id: string | null
  }>`${acrossCompanies('a sweep of all companies')}
    select v.state, v.company_id from environment_versions v join environments e on e.id = v.environment_id
    where v.id = ${versionId} and v.layer_digest is not null and ${unreferenced(uses)} and not ${uses.byRun}
    for update of v
  `.execute(trx)
  return rows[0]
}

/** Retires an image. Call it only for a version that is not `ready`. */
export const startRetiring = (trx: Trx, versionId: string): Promise<unknown> =>
  trx
    .updateTable('environment_versions')
    .set((eb) => ({
      retiring_layer_digest: eb.ref('layer_digest'),
      layer_digest: null,
      unreferenced_since: null,
    }))
    .where('id', '=', versionId)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .execute()

export interface RetiringImage {
  versionId: string
  layerDigest: string
  promotedDigest: string | null
  /** Another version has the same layer, so the layer stays on the hosts. */
  layerShared: boolean
}

/** Retired images whose bytes may still exist. */
export async function listRetiring(db: Executing, now: Date, limit: number): Promise<RetiringImage[]> {
  const { rows } = await sql<RetiringImage>`${acrossCompanies('a sweep of all companies')}
    select v.id as "versionId", v.retiring_layer_digest as "layerDigest", v.promoted_digest as "promotedDigest",
      exists (select 1 from environment_versions o where o.layer_digest = v.retiring_layer_digest) as "layerShared"
    from environment_versions v where v.retiring_layer_digest is not null and ${isDue(sql`v.id`, now)}
    order by v.id limit ${limit}
  `.execute(db)
  return rows
}

/** Returns the company of the version; null for a curated one. */
export async function clearRetiring(trx: Trx, versionId: string): Promise<string | null> {
  const row = await trx
    .updateTable('environment_versions')
    .set({ retiring_layer_digest: null })
    .where('id', '=', versionId)
    .where('retiring_layer_digest', 'is not', null)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .returning('company_id')
    .executeTakeFirst()
  return row?.company_id ?? null
}
