import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import { isDue } from '../../work/removal.ts'

/* Layers to remove from the hosts of executors. */

/** Leaves the removal of a layer to all executors but this one. */
export const leaveHostImage = (db: Executing, layerDigest: string, executor = ''): Promise<unknown> =>
  sql`
    insert into host_image_removals (executor, layer_digest)
    select id, ${layerDigest} from executors where id <> ${executor}
    on conflict do nothing
  `.execute(db)

/** The name of a removal that has failed: a layer may be in use on one host alone. */
export const hostImageKey = (executor: string, layerDigest: string): string =>
  `host:${executor}:${layerDigest}`

export interface LeftHostImage {
  layerDigest: string
  /** A version has the layer again. */
  isHeld: boolean
}

export async function listLeftHostImages(
  db: Executing,
  executor: string,
  { now, limit }: { now: Date; limit: number },
): Promise<LeftHostImage[]> {
  const { rows } = await sql<LeftHostImage>`${acrossCompanies('a worker removes images from its host')}
    select layer_digest as "layerDigest", exists (
      select from environment_versions v where v.layer_digest = host_image_removals.layer_digest
    ) as "isHeld"
    from host_image_removals
    where executor = ${executor} and ${isDue(sql`'host:' || executor || ':' || layer_digest`, now)}
    order by layer_digest limit ${limit}
  `.execute(db)
  return rows
}

export const deleteLeftHostImage = (db: Executing, executor: string, layerDigest: string): Promise<unknown> =>
  db
    .deleteFrom('host_image_removals')
    .where('executor', '=', executor)
    .where('layer_digest', '=', layerDigest)
    .execute()
