import type { RunChangeEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { Database } from '../../db/database.ts'
import { type ChangedRun, findChangedRuns } from './changed-run-store.ts'

/** The runs of a company among these ids, as they are now; who receives them must be asked for each reader. */
export const readChangedRuns = async (
  db: Database,
  of: { companyId: string; ids: readonly string[] },
): Promise<RunChangeEvent[]> => (await findChangedRuns(db, of)).map(render)

const render = (run: ChangedRun): RunChangeEvent => ({
  kind: 'run',
  id: run.id,
  chatroom_id: run.chatroom_id,
  task_id: run.task_id,
  status: run.state as RunState,
  error_code: run.error_code,
  queued_at: run.queued_at.toISOString(),
  started_at: run.started_at?.toISOString() ?? null,
  terminal_at: run.terminal_at?.toISOString() ?? null,
})
