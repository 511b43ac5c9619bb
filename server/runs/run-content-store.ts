import type { Selectable } from 'kysely'
import type { Executing, Trx } from '../db/database.ts'
import type { RunContentsTable } from '../db/tables/runs.ts'
import type { Collected } from './collect-run.ts'

/** Writes the table `run_contents`. */

export type RunContentRow = Selectable<RunContentsTable>

export async function insertContent(
  trx: Trx,
  run: { id: string; companyId: string },
  left: Collected,
): Promise<void> {
  await trx
    .insertInto('run_contents')
    .values({
      run_id: run.id,
      company_id: run.companyId,
      output_key: left.output?.key ?? null,
      output_bytes: left.output?.byteSize ?? null,
      output_digest: left.output?.digest ?? null,
      log_key: left.log?.key ?? null,
      log_bytes: left.log?.byteSize ?? null,
      log_digest: left.log?.digest ?? null,
      bundle_key: left.bundle?.key ?? null,
      bundle_bytes: left.bundle?.byteSize ?? null,
    })
    .execute()
}

export const findContent = (
  db: Executing,
  run: { id: string; company_id: string },
): Promise<RunContentRow | undefined> =>
  db
    .selectFrom('run_contents')
    .selectAll()
    .where('run_id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .executeTakeFirst()

/** The stored bytes of a run's input, while they are kept. */
export async function findInput(
  db: Executing,
  run: { id: string; company_id: string },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('run_inputs')
    .select('content')
    .where('run_id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .executeTakeFirst()
  return row?.content
}

export async function hasInput(db: Executing, run: { id: string; company_id: string }): Promise<boolean> {
  const row = await db
    .selectFrom('run_inputs')
    .select('run_id')
    .where('run_id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .executeTakeFirst()
  return row !== undefined
}
