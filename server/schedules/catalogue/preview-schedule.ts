import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { schedulePreviewTicks } from '@sandbox-jobs/contract/limits.ts'
import type { SchedulePreview } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { microOf, moneyText } from '../../billing/money.ts'
import { estimateRun } from '../../runs/submit/estimate-run.ts'
import { findOffered } from '../../tasks/menu/menu-service.ts'
import { readCalendar } from '../calendar/calendar.ts'
import { countTicks, nextTicks } from '../calendar/next-ticks.ts'
import type { ScheduleDeps } from './schedules.ts'

export interface PreviewedSchedule {
  chatroomId: string
  taskId: string
  cron: string
  time_zone: string
  timeoutSeconds: number | undefined
}

const days = 30

/** Makes nothing. Throws `not_found` and the standard 422 array. */
export async function previewSchedule(
  deps: ScheduleDeps,
  principal: Principal,
  { chatroomId, taskId, timeoutSeconds, ...times }: PreviewedSchedule,
): Promise<SchedulePreview> {
  const room = await deps.directory.requireRoom(principal, 'schedule.manage', chatroomId)
  const calendar = readCalendar('query', times)
  const offered = await findOffered(deps.db, room, taskId)
  if (!offered) throw notFound()
  const taskVersionId = offered.task_version_id
  const run = await estimateRun(deps, principal, { chatroomId, taskVersionId, timeoutSeconds })
  const now = deps.clock.now()
  const ticks = countTicks(calendar, now, days)
  const refusals = offered.requires_confirmation ? [needsConfirmation, ...run.refusals] : run.refusals
  return {
    next_at: nextTicks(calendar, now, schedulePreviewTicks).map((at) => at.toISOString()),
    ticks_30_days: ticks,
    run: { ...run, refusals },
    hold_30_days: times30Days(run.hold, ticks),
    typical_cost_30_days: times30Days(run.typical_cost, ticks),
  }
}

const needsConfirmation = {
  code: 'schedule_needs_confirmation',
  message: catalogue.schedule_needs_confirmation.message,
}

/** Null for no amount, and for one that is beyond all amounts. */
function times30Days(amount: string | null, ticks: number): string | null {
  const micro = amount === null ? undefined : microOf(amount)
  const all = (micro ?? Number.NaN) * ticks
  return Number.isSafeInteger(all) ? moneyText(all) : null
}
