import { type RawBuilder, type Selectable, sql } from 'kysely'
import { unknownTime } from '../../../reader/formats/file-time.ts'
import { newId } from '../../base/ids.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { RunArtifactsTable } from '../../db/tables/runs.ts'
import type { CollectedArtifact } from './collect-run.ts'

/** Writes the table `run_artifacts`. */

export type RunArtifactRow = Selectable<RunArtifactsTable>

/** Fixed, whatever the file contains: a browser must not render it. */
const declaredContentType = 'application/octet-stream'

/** CTE `artifacts`: inserts the artifacts of the run in `moved`. */
export function artifactsCte(artifacts: readonly CollectedArtifact[]): RawBuilder<unknown> {
  const column = (of: (artifact: CollectedArtifact) => unknown, type: 'text' | 'bigint') =>
    sql`${artifacts.map(of)}::${sql.raw(type)}[]`
  return sql`
    artifacts as (
      insert into run_artifacts (id, run_id, company_id, relative_path, path_hash, bundle_offset, byte_size, digest,
        modified_at, declared_content_type)
      select artifact.id, moved.id, moved.company_id, relative_path, path_hash, bundle_offset, byte_size, digest,
        to_timestamp(nullif(modified_at, ${sql.lit(unknownTime)})), ${sql.lit(declaredContentType)}
      from moved cross join unnest(
        ${column(() => newId('artifact'), 'text')},
        ${column(({ relativePath }) => relativePath, 'text')},
        ${column(({ pathHash }) => `sha256:${pathHash}`, 'text')},
        ${column(({ offset }) => offset, 'bigint')},
        ${column(({ byteSize }) => byteSize, 'bigint')},
        ${column(({ digest }) => digest, 'text')},
        ${column(({ modifiedAt }) => modifiedAt, 'bigint')}
      ) as artifact (id, relative_path, path_hash, bundle_offset, byte_size, digest, modified_at)
    )`
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

/**
 * An artifact that can be read, by its path or id; while the transaction lasts, its content is not retired. Undefined where
 * there is none, not any more, or not yet.
 */
export async function pinArtifact(
  trx: Trx,
  { companyId, runId, artifact }: { companyId: string; runId: string; artifact: string },
): Promise<Pick<RunArtifactRow, 'id' | 'byte_size' | 'digest'> | undefined> {
  const { rows } = await sql<Pick<RunArtifactRow, 'id' | 'byte_size' | 'digest'>>`
    select a.id, a.byte_size, a.digest
    from run_artifacts a join run_contents c on c.run_id = a.run_id and c.company_id = a.company_id
    where a.run_id = ${runId} and a.company_id = ${companyId} and (a.id = ${artifact} or a.relative_path = ${artifact})
      and a.deletion_state = 'active' and c.state = 'active' and c.bundle_key is not null
    order by (a.id = ${artifact}) desc limit 1
    for share of c
  `.execute(trx)
  return rows[0]
}

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
