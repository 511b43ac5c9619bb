import type pg from 'pg'
import type { Kill } from '../faults/killer.ts'
import type { StoredRun } from '../load/history.ts'
import type { PublishedJob } from '../load/job.ts'
import type { Intent } from '../load/load.ts'

interface RowEvidence {
  job: PublishedJob
  intents: readonly Intent[]
  kills: readonly Kill[]
}

/**
 * Violations of tables: each job that a row started wrote at most one row, and one if it completed in a round of kills (a clock
 * that jumps ends credentials); no row event waits or was refused.
 */
export async function findRowFaults(
  database: pg.Client,
  { job: { byRow }, intents, kills }: RowEvidence,
  runs: ReadonlyMap<string, StoredRun>,
): Promise<string[]> {
  const { rows } = await database.query<{ nonce: string; count: string }>(
    `select "values" ->> 'nonce' as nonce, count(*) as count from custom_table_rows where table_id = $1 group by 1`,
    [byRow.results],
  )
  const written = new Map(rows.map(({ nonce, count }) => [nonce, Number(count)]))
  const faults: string[] = []
  for (const { input, runs: ids } of intents.filter((intent) => intent.by === 'row')) {
    const run = runs.get([...ids][0] ?? '')
    const count = written.get(input.nonce) ?? 0
    const isMissing = count === 0 && run?.state === 'completed' && kills.length > 0
    if (count > 1 || isMissing) faults.push(`${run?.id} is ${run?.state} and wrote ${count} rows`)
  }
  const unhandled = await database.query<{ row_id: string; error_code: string | null }>(
    `select row_id, error_code from custom_table_trigger_events where trigger_id = $1 and outcome is distinct from 'started'`,
    [byRow.trigger],
  )
  for (const { row_id, error_code } of unhandled.rows)
    faults.push(`the event of ${row_id} ${error_code ?? 'waits'}`)
  return faults
}
