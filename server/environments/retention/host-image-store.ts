import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'

/* Layers to remove from the hosts of executors. */

/** Leaves the removal of a layer to all executors but this one. */
export const leaveHostImage = (db: Executing, layerDigest: string, executor = ''): Promise<unknown> =>
  sql`
    insert into host_image_removals (executor, layer_digest)
    select id, ${layerDigest} from executors where id <> ${executor}
    on conflict do nothing
  `.execute(db)

export interface LeftHostImage {
  layerDigest: string
  /** A version has the layer again. */
  isHeld: boolean
}

export async function listLeftHostImages(
  db: Executing,
  executor: string,
  limit: number,
): Promise<LeftHostImage[]> {
  const { rows } = await sql<LeftHostImage>`${acrossCompanies('a worker removes images from its host')}
    select layer_digest as "layerDigest", exists (
      select from environment_versions v where v.layer_digest = host_image_removals.layer_digest
    ) as "isHeld"
    from host_image_removals where executor = ${executor} order by layer_digest limit ${limit}
  `.execute(db)
  return rows
}

export const deleteLeftHostImage = (db: Executing, executor: string, layerDigest: string): Promise<unknown> =>
  db
    .deleteFrom('host_image_removals')
    .where('executor', '=', executor)
    .where('layer_digest', '=', layerDigest)
    .execute()
