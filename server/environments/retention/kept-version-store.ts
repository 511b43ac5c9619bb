import { imageRetentionDefaultDays } from '@sandbox-jobs/contract/limits.ts'
import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { type ImageUses, isKeptByEnvironment } from './image-retention-store.ts'

export interface KeptVersionRow {
  environment_id: string
  environment_name: string
  version_id: string
  version_number: number
  state: EnvironmentVersionState
  image_bytes: number
  archive_bytes: number
  by_environment: boolean
  by_task: boolean
  by_run: boolean
  tasks: string[]
  /** Null while something uses the image. */
  removed_after: Date | null
}

/** Conditions and values of `environment_versions v`, from the domains that use versions. */
export interface VersionUses extends ImageUses {
  /** Names of some of the tasks that use the version. */
  taskNames: RawBuilder<string[]>
}

/** Versions of a company that keep an image or an archive, those with the most bytes first. */
export async function listKeptVersions(
  db: Executing,
  { byTask, byRun, taskNames }: VersionUses,
  { companyId, limit }: { companyId: string; limit: number },
): Promise<KeptVersionRow[]> {
  const { rows } = await sql<KeptVersionRow>`
    with kept as (
      select v.id, v.environment_id, e.name, e.state as environment_state, v.version_number, v.state, v.unreferenced_since,
        coalesce(i.byte_size, 0) as image_bytes, coalesce(o.byte_size, 0) as archive_bytes
      from environment_versions v
      join environments e on e.id = v.environment_id
      left join kept_images i on i.company_id = v.company_id and i.layer_digest = v.layer_digest
      left join owned_objects o on o.company_id = v.company_id and o.id = v.owned_object_id
        and o.deletion_state in ('active', 'delete_pending')
      where v.company_id = ${companyId} and (i.byte_size is not null or o.byte_size is not null)
      order by coalesce(i.byte_size, 0) + coalesce(o.byte_size, 0) desc, v.id limit ${limit}
    )
    select v.environment_id, v.name as environment_name, v.id as version_id, v.version_number, v.state,
      v.image_bytes, v.archive_bytes,
      ${isKeptByEnvironment({ version: sql`v.state`, environment: sql`v.environment_state` })} as by_environment,
      ${byTask} as by_task, ${byRun} as by_run, ${taskNames} as tasks,
      v.unreferenced_since + make_interval(days => coalesce(
        (select s.unreferenced_image_retention_days from company_settings s where s.company_id = ${companyId}),
        ${imageRetentionDefaultDays}::int
      )) as removed_after
    from kept v order by v.image_bytes + v.archive_bytes desc, v.id
  `.execute(db)
  return rows
}
