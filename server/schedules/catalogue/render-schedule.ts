import { scheduleNextTicks } from '@sandbox-jobs/contract/limits.ts'
import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { ScheduleTick } from '@sandbox-jobs/contract/resources/schedules/schedule-tick.ts'
import type { Database } from '../../db/database.ts'
import { findTaskNames } from '../../tasks/catalogue/task-access.ts'
import { readCalendar } from '../calendar/calendar.ts'
import { nextTicks } from '../calendar/next-ticks.ts'
import type { ScheduleRow } from './schedule-store.ts'
import { findLastTicks, type TickRow } from './schedule-tick-store.ts'

/** Schedules of one company as they are shown, with their newest ticks. */
export async function renderSchedules(
  db: Database,
  companyId: string,
  rows: readonly ScheduleRow[],
): Promise<Schedule[]> {
  const ids = rows.map(({ id }) => id)
  const taskIds = rows.map(({ task_id }) => task_id)
  const [last, names] = await Promise.all([
    findLastTicks(db, companyId, ids),
    findTaskNames(db, companyId, taskIds),
  ])
  return rows.map((row) => render(row, { task: names.get(row.task_id) ?? '', last: last.get(row.id) }))
}

export async function renderSchedule(db: Database, row: ScheduleRow): Promise<Schedule> {
  const [schedule] = await renderSchedules(db, row.company_id, [row])
  if (!schedule) throw new Error('a schedule was not rendered')
  return schedule
}

const render = (row: ScheduleRow, { task, last }: { task: string; last: TickRow | undefined }): Schedule => ({
  id: row.id,
  chatroom_id: row.chatroom_id,
  name: row.name,
  task_id: row.task_id,
  task_name: task,
  cron: row.cron,
  time_zone: row.time_zone,
  timeout_seconds: row.timeout_seconds,
  missed: row.missed,
  run_as: row.run_as,
  paused_because: row.paused_because,
  paused_at: row.paused_at?.toISOString() ?? null,
  next_at: row.paused_because === null ? nextOf(row) : [],
  last: last ? renderTick(last) : null,
  created_at: row.created_at.toISOString(),
})

/** The next tick may be due, and wait. */
const nextOf = (row: ScheduleRow): string[] =>
  [row.next_at, ...nextTicks(readCalendar('body', row), row.next_at, scheduleNextTicks - 1)].map((at) =>
    at.toISOString(),
  )

export const renderTick = (row: TickRow): ScheduleTick => ({
  due_at: row.due_at.toISOString(),
  run_id: row.run_id,
  skipped_because: row.skipped_because,
  handled_at: row.handled_at.toISOString(),
})
