import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Executing, Trx } from '../../../db/database.ts'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'
import type { RunFilesTable } from '../../../db/tables/run-files.ts'

/* Writes the table `run_files`. */

export type RunFileRow = Selectable<RunFilesTable>

/** A file of a run that is not made yet. */
export type NewRunFile = Omit<RunFileRow, 'run_id' | 'company_id' | 'place'>

interface RunKey {
  id: string
  company_id: string
}

export const insertRunFiles = (trx: Trx, run: RunKey, files: readonly NewRunFile[]): Promise<unknown> =>
  trx
    .insertInto('run_files')
    .values(files.map((file, place) => ({ ...file, place, run_id: run.id, company_id: run.company_id })))
    .execute()

/** The files of runs of one company, each run's in order. */
export const findRunFiles = (
  db: Executing,
  companyId: string,
  runIds: readonly string[],
): Promise<RunFileRow[]> =>
  db
    .selectFrom('run_files')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('run_id', 'in', runIds)
    .orderBy('run_id')
    .orderBy('place')
    .execute()

export const deleteRunFiles = (trx: Trx, runIds: readonly string[], companyIds: readonly string[]) =>
  trx.deleteFrom('run_files').where('run_id', 'in', runIds).where('company_id', 'in', companyIds).execute()

/** Condition: a live run takes something, which the two columns name in `run_files taken`. */
const isNeeded = sql`exists (
  select from runs r where r.id = taken.run_id and r.company_id = taken.company_id and r.terminal_at is null)`

/** Whether a run that has not ended takes the file. Call it while the file is locked, so that the result is stable. */
export async function isFileNeeded(trx: Trx, file: { id: string; company_id: string }): Promise<boolean> {
  const { rows } = await sql`
    select from run_files taken
    where taken.file_id = ${file.id} and taken.company_id = ${file.company_id} and ${isNeeded} limit 1`.execute(
    trx,
  )
  return rows.length > 0
}

/** Condition: a run that has not ended takes an artifact of the run in this column. */
export const artifactsNeeded = (runId: ReturnType<typeof sql>) => sql<boolean>`exists (
  select from run_files taken where taken.source_run_id = ${runId} and ${isNeeded})`

/** Those of the runs whose artifacts a live run takes. Call it while their content is locked, so that the result is stable. */
export async function neededSources(trx: Trx, runIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`${acrossCompanies('a sweep of all companies')}
    select distinct taken.source_run_id as id from run_files taken
    where taken.source_run_id = any(${runIds}::text[]) and ${isNeeded}`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/** A file that a run takes: part of a stored object. */
export interface StoredRunFile {
  name: string
  byte_size: number
  digest: string
  /** Null if the file was deleted while the run was queued. */
  key: string | null
  start: number
  /** When it was uploaded, or last changed by the run that left it; seconds since 1970. Null with `key`. */
  stored_at: number | null
}

export interface FilesRow {
  files: StoredRunFile[]
}

export const filesColumns: ColumnExpressions<FilesRow> = {
  files: sql`coalesce((
      select jsonb_agg(jsonb_build_object('name', f.name, 'byte_size', f.byte_size, 'digest', f.digest,
        'key', coalesce(u.storage_key, c.bundle_key), 'start', coalesce(a.bundle_offset, 0),
        'stored_at', extract(epoch from coalesce(u.created_at, a.modified_at, c.created_at))) order by f.place)
      from run_files f
      left join input_files u on u.id = f.file_id and u.company_id = f.company_id
      left join run_artifacts a on a.id = f.artifact_id and a.company_id = f.company_id
      left join run_contents c on c.run_id = a.run_id and c.company_id = a.company_id and c.state = 'active'
      where f.run_id = run.id and f.company_id = run.company_id
    ), '[]')`,
}
