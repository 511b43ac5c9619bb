import type { MissedPolicy } from '@sandbox-jobs/contract/resources/schedules/missed-policy.ts'
import type { PauseReason } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { Generated } from 'kysely'

export interface SchedulesTable {
  id: string
  company_id: string
  chatroom_id: string
  name: string
  task_id: string
  input: Buffer
  input_digest: string
  timeout_seconds: number | null
  cron: string
  time_zone: string
  missed: MissedPolicy
  run_as: string
  api_key_id: string | null
  since: Date
  next_at: Date
  look_at: Date
  paused_because: PauseReason | null
  paused_at: Date | null
  created_at: Generated<Date>
}

export interface ScheduleTicksTable {
  schedule_id: string
  due_at: Date
  company_id: string
  run_id: string | null
  skipped_because: string | null
  handled_at: Generated<Date>
}
