import type { Executing } from '../../db/database.ts'
import { failed } from '../model/run-outcome.ts'
import { listUnfinished } from '../model/run-store.ts'
import { finishRun } from './finish-run.ts'

const batch = 500

/**
 * Ends every run that had not ended when the backup was made, and returns their number. Such a run may have started or
 * ended since, and a backup does not include the host's records that would prove it. So none is started again.
 */
export async function endRestoredRuns(db: Executing): Promise<number> {
  const outcome = failed('restored_from_backup')
  for (let count = 0; ; ) {
    const runs = await listUnfinished(db, batch)
    for (const run of runs) {
      if (!(await finishRun(db, run, { outcome }))) throw new Error(`run ${run.id} cannot be ended`)
    }
    count += runs.length
    if (runs.length < batch) return count
  }
}
