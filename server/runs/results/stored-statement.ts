import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'
import type { RunArtifactRow } from './artifact-store.ts'
import type { RunContentRow } from './run-content-store.ts'

export interface StoredLookup {
  companyId: string
  /** Of the run. */
  id: string
  artifactsMax: number
}

type Content = Pick<RunContentRow, 'state' | 'output_key' | 'output_bytes' | 'log_key' | 'log_bytes'>

/** The stored results of a run. */
export interface StoredOfRun {
  content: Content | undefined
  /** Those that can be downloaded, by `relative_path` in the order of its bytes, up to the requested number. */
  artifacts: RunArtifactRow[]
  artifactsTotal: number
}

interface Requested extends Record<string, unknown> {
  companyIds: string[]
  ids: string[]
}

const contents = prepared<Requested, Content & { ordinal: number }>(
  ({ companyIds, ids }) => sql`
    select requested.ordinal, stored.state, stored.output_key, stored.output_bytes, stored.log_key, stored.log_bytes
    from unnest(${arrayParam(companyIds, 'text')}, ${arrayParam(ids, 'text')})
      with ordinality as requested (company_id, id, ordinal)
    join lateral (select * from run_contents where run_contents.run_id = requested.id limit 1) stored
      on stored.company_id = requested.company_id
  `,
)

const artifacts = prepared<
  Requested & { artifactsMax: number },
  RunArtifactRow & { ordinal: number; total: number }
>(
  ({ companyIds, ids, artifactsMax }) => sql`
    select requested.ordinal, listed.*
    from unnest(${arrayParam(companyIds, 'text')}, ${arrayParam(ids, 'text')})
      with ordinality as requested (company_id, id, ordinal)
    cross join lateral (
      select run_artifacts.*, count(*) over () as total from run_artifacts
      where run_artifacts.run_id = requested.id and run_artifacts.company_id = requested.company_id
        and run_artifacts.deletion_state = 'active'
      order by relative_path collate "C" limit ${artifactsMax}::bigint) listed
    order by requested.ordinal, listed.relative_path collate "C"
  `,
)

/** The stored results of each run, in the order of the runs. Reads `run_contents` and `run_artifacts`; writes nothing. */
export async function findStored(db: Executing, runs: readonly StoredLookup[]): Promise<StoredOfRun[]> {
  const companyIds = runs.map(({ companyId }) => companyId)
  const ids = runs.map(({ id }) => id)
  const artifactsMax = Math.max(...runs.map((run) => run.artifactsMax))
  const [contentRows, artifactRows] = await Promise.all([
    contents(db, { companyIds, ids }),
    artifacts(db, { companyIds, ids, artifactsMax }),
  ])
  const contentByOrdinal = new Map(contentRows.map((row) => [row.ordinal, row]))
  const artifactsByOrdinal = Map.groupBy(artifactRows, ({ ordinal }) => ordinal)
  return runs.map((run, at) => {
    const listed = artifactsByOrdinal.get(at + 1) ?? []
    return {
      content: contentByOrdinal.get(at + 1),
      artifacts: listed.slice(0, run.artifactsMax),
      artifactsTotal: listed[0]?.total ?? 0,
    }
  })
}
