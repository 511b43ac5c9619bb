import { type Selectable, sql } from 'kysely'
import { newId } from '../base/ids.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { RunArtifactsTable } from '../db/tables/runs.ts'
import type { CollectedArtifact } from './collect-run.ts'

/** Writes the table `run_artifacts`. */

export type RunArtifactRow = Selectable<RunArtifactsTable>

/** Never what the job says it is: a browser must not render it. */
const declaredContentType = 'application/octet-stream'

export async function insertArtifacts(
  trx: Trx,
  run: { id: string; companyId: string },
  artifacts: CollectedArtifact[],
): Promise<void> {
  if (artifacts.length === 0) return
  const rows = artifacts.map((artifact) => ({
    id: newId('artifact'),
    run_id: run.id,
    company_id: run.companyId,
    relative_path: artifact.relativePath,
    path_hash: `sha256:${artifact.pathHash}`,
    bundle_offset: artifact.offset,
    byte_size: artifact.byteSize,
    digest: artifact.digest,
    declared_content_type: declaredContentType,
  }))
  await trx.insertInto('run_artifacts').values(rows).execute()
}

export const findArtifact = (
  db: Executing,
  key: { companyId: string; runId: string; id: string },
): Promise<RunArtifactRow | undefined> =>
  db
    .selectFrom('run_artifacts')
    .selectAll()
    .where('id', '=', key.id)
    .where('run_id', '=', key.runId)
    .where('company_id', '=', key.companyId)
    .executeTakeFirst()

export interface ArtifactListFilter {
  companyId: string
  runId: string
  /** Undefined: every one. */
  deletionStates: readonly string[] | undefined
  afterPath: string | undefined
  limit: number
}

/** By `relative_path` in the order of its bytes. */
export function listArtifacts(db: Executing, filter: ArtifactListFilter): Promise<RunArtifactRow[]> {
  let query = db
    .selectFrom('run_artifacts')
    .selectAll()
    .where('company_id', '=', filter.companyId)
    .where('run_id', '=', filter.runId)
  if (filter.deletionStates) query = query.where('deletion_state', 'in', filter.deletionStates)
  if (filter.afterPath !== undefined) {
    query = query.where(sql<boolean>`relative_path collate "C" > ${filter.afterPath} collate "C"`)
  }
  return query.orderBy(sql`relative_path collate "C"`).limit(filter.limit).execute()
}
