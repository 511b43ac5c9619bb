import type {
  ExtendedRun,
  ExtendedRunList,
  RunFile,
} from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Principal } from '../../access/principal.ts'
import type { Executing } from '../../db/database.ts'
import type { RunAddress } from '../lookup/readable-run.ts'
import { findSessionIds } from '../model/run-store.ts'
import { findRunFiles, type RunFileRow } from '../parts/files/run-file-store.ts'
import { findMetadata } from '../parts/metadata/run-metadata-store.ts'
import { listRoomRuns, type ReadDeps, type RunListQuery, readRun } from './read-runs.ts'

/** Runs of one company with their files and metadata. */
export async function extendRuns(db: Executing, runs: readonly RunDetail[]): Promise<ExtendedRun[]> {
  const [first] = runs
  if (!first) return []
  const ids = runs.map(({ id }) => id)
  const [files, entries, sessions] = await Promise.all([
    findRunFiles(db, first.company_id, ids),
    findMetadata(db, first.company_id, ids),
    findSessionIds(db, first.company_id, ids),
  ])
  const filesOf = Map.groupBy(files, ({ run_id }) => run_id)
  const entriesOf = Map.groupBy(entries, ({ run_id }) => run_id)
  return runs.map((run) => ({
    ...run,
    files: (filesOf.get(run.id) ?? []).map(renderFile),
    metadata: Object.fromEntries((entriesOf.get(run.id) ?? []).map(({ key, value }) => [key, value])),
    session_id: sessions.get(run.id) ?? null,
  }))
}

export async function extendRun(db: Executing, run: RunDetail): Promise<ExtendedRun> {
  const [extended] = await extendRuns(db, [run])
  return extended ?? { ...run, files: [], metadata: {}, session_id: null }
}

const renderFile = (row: RunFileRow): RunFile => ({
  name: row.name,
  byte_size: row.byte_size,
  digest: row.digest,
  file_id: row.file_id,
  run_id: row.source_run_id,
  artifact_id: row.artifact_id,
})

export const readExtendedRun = async (
  deps: ReadDeps,
  principal: Principal,
  address: RunAddress,
): Promise<ExtendedRun> => extendRun(deps.db, await readRun(deps, principal, address))

export async function listExtendedRuns(
  deps: ReadDeps,
  principal: Principal,
  { chatroomId, query }: { chatroomId: string; query: RunListQuery },
): Promise<ExtendedRunList> {
  const { items, ...page } = await listRoomRuns(deps, principal, chatroomId, query)
  return { ...page, items: await extendRuns(deps.db, items) }
}
