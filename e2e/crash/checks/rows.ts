import type pg from 'pg'
import type { StoredRun } from '../load/history.ts'
import type { PublishedJob } from '../load/job.ts'
import type { Intent } from '../load/load.ts'

interface RowEvidence {
  job: PublishedJob
  intents: readonly Intent[]
}

/**
 * Violations of tables: each job that a row started wrote one row if it completed and at most one otherwise, and no row event
 * waits or was refused.
 */
export async function findRowFaults(
  database: pg.Client,
  { job: { byRow }, intents }: RowEvidence,
  runs: ReadonlyMap<string, StoredRun>,
): Promise<string[]> {
  const { rows } = await database.query<{ nonce: string; count: string }>(
    `select "values" ->> 'nonce' as nonce, count(*) as count from custom_table_rows where table_id = $1 group by 1`,
    [byRow.results],
  )
  const written = new Map(rows.map(({ nonce, count }) => [nonce, Number(count)]))
  const faults: string[] = []
  for (const { input, runs: ids } of intents.filter((intent) => intent.byRow)) {
    const run = runs.get([...ids][0] ?? '')
    const count = written.get(input.nonce) ?? 0
    if (count > 1 || (run?.state === 'completed' && count !== 1))
      faults.push(`${run?.id} is ${run?.state} and wrote ${count} rows`)
    if (run?.error_code === 'timeout') faults.push(`${run.id} was never answered`)
  }
  const unhandled = await database.query<{ row_id: string; error_code: string | null }>(
    `select row_id, error_code from custom_table_trigger_events where trigger_id = $1 and outcome is distinct from 'started'`,
    [byRow.trigger],
  )
  for (const { row_id, error_code } of unhandled.rows)
    faults.push(`the event of ${row_id} ${error_code ?? 'waits'}`)
  return faults
}
