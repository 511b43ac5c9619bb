import type { Selectable } from 'kysely'
import type { RunsTable } from '../../db/tables/runs.ts'

export type RunRow = Selectable<RunsTable>

/** The columns that a rendered run needs; the rest of the row is for workers. */
export const shownColumns = [
  'id',
  'company_id',
  'chatroom_id',
  'task_id',
  'task_version_id',
  'state',
  'resource_profile',
  'principal_type',
  'principal_id',
  'auth_method',
  'submission_source',
  'timeout_seconds',
  'input_digest',
  'retry_of_run_id',
  'error_code',
  'error_detail',
  'exit_code',
  'failure_stage',
  'failure_source',
  'measured_ingress_bytes',
  'measured_egress_bytes',
  'queued_at',
  'claimed_at',
  'cancel_requested_at',
  'terminal_at',
  'secret_slot_provenance',
] as const satisfies readonly (keyof RunRow)[]

export type ShownRun = Pick<RunRow, (typeof shownColumns)[number]>
