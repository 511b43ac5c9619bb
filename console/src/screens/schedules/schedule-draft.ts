import type { MissedPolicy } from '@sandbox-jobs/contract/resources/schedules/missed-policy.ts'
import type { Schedule, ScheduleUpdateRequest } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { initialValue } from '../../form/defaults.ts'
import type { Json } from '../../form/json.ts'
import { parsedText } from '../run-form/parsed-text.ts'

/** Name and times of a schedule, as they are typed. */
export interface ScheduleValues {
  name: string
  cron: string
  time_zone: string
  missed: MissedPolicy
}

/** A schedule that is typed. */
export interface ScheduleDraft {
  values: ScheduleValues
  input: Json | undefined
  /** Seconds, as they are typed; empty: those of the version. */
  timeout: string
}

export const newDraft = ({ task_name, input_schema }: MenuItem): ScheduleDraft => ({
  values: {
    name: task_name,
    cron: '0 8 * * mon-fri',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    missed: 'skip',
  },
  input: initialValue(parsedText(input_schema)),
  timeout: '',
})

/** A stored schedule and the JSON text of its input. */
export const draftOfSchedule = (
  { name, cron, time_zone, missed, timeout_seconds }: Schedule,
  input: string,
): ScheduleDraft => ({
  values: { name, cron, time_zone, missed },
  input: parsedText(input),
  timeout: timeout_seconds === null ? '' : String(timeout_seconds),
})

export const bodyOfSchedule = ({ values, input, timeout }: ScheduleDraft) => ({
  ...values,
  input: input ?? null,
  timeout_seconds: timeout === '' ? null : Number(timeout),
})

/** The fields that differ. An input that nobody changed stays as it is stored: written again, a long number would be rounded. */
export function changesOf(before: ScheduleDraft, after: ScheduleDraft): ScheduleUpdateRequest {
  const stored: Record<string, unknown> = bodyOfSchedule(before)
  const wanted = Object.entries(bodyOfSchedule(after))
  return Object.fromEntries(
    wanted.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name])),
  )
}
