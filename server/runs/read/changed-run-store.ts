import type { Executing } from '../../db/database.ts'
import type { RunRow } from '../model/run-row.ts'

export type ChangedRun = Pick<
  RunRow,
  'id' | 'chatroom_id' | 'task_id' | 'state' | 'error_code' | 'queued_at' | 'started_at' | 'terminal_at'
>

/** Runs of a company by their ids, as they are now. */
export const findChangedRuns = async (
  db: Executing,
  { companyId, ids }: { companyId: string; ids: readonly string[] },
): Promise<ChangedRun[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('runs')
        .select([
          'id',
          'chatroom_id',
          'task_id',
          'state',
          'error_code',
          'queued_at',
          'started_at',
          'terminal_at',
        ])
        .where('company_id', '=', companyId)
        .where('id', 'in', ids)
        .orderBy('queued_at')
        .orderBy('id')
        .execute()
