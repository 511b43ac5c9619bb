import type { Executing } from '../db/database.ts'
import { finishRun } from './finish-run.ts'
import { failed } from './run-outcome.ts'
import { listUnfinished } from './unfinished-run-store.ts'

const atOnce = 500

/**
 * Ends every run that had not ended when a backup was made. It may have been started, and may have ended, between the backup
 * and now, and the records of the host that could tell are not in a backup: so none is ever started again. Answers how many.
 */
export async function endRestoredRuns(db: Executing): Promise<number> {
  const outcome = failed('restored_from_backup')
  for (let count = 0; ; ) {
    const runs = await listUnfinished(db, atOnce)
    for (const run of runs) {
      if (!(await finishRun(db, run, { outcome }))) throw new Error(`run ${run.id} cannot be ended`)
    }
    count += runs.length
    if (runs.length < atOnce) return count
  }
}
