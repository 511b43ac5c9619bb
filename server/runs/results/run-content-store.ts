import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import type { RunContentsTable } from '../../db/tables/runs.ts'
import type { Collected } from './collect-run.ts'

/** Writes the table `run_contents`. */

export type RunContentRow = Selectable<RunContentsTable>

/** CTE `content`: inserts the content of the run in `moved`. */
export const contentCte = ({ output, log, bundle, refusal }: Collected): RawBuilder<unknown> => sql`
  content as (
    insert into run_contents (run_id, company_id, output_key, output_bytes, output_digest, log_key, log_bytes, log_digest,
      bundle_key, bundle_bytes, refused_rule, refused_path)
    select id, company_id, ${output?.key ?? null}::text, ${output?.byteSize ?? null}::bigint, ${output?.digest ?? null}::text,
      ${log?.key ?? null}::text, ${log?.byteSize ?? null}::bigint, ${log?.digest ?? null}::text,
      ${bundle?.key ?? null}::text, ${bundle?.byteSize ?? null}::bigint,
      ${refusal?.rule ?? null}::text, ${refusal?.path ?? null}::text
    from moved
  )`

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

/** The stored bytes of a run's input, until retention deletes them. */
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
