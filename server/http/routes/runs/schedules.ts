import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import { scheduleRoutes } from '@sandbox-jobs/contract/routes/schedule-routes.ts'
import { createSchedule, updateSchedule } from '../../../schedules/catalogue/change-schedule.ts'
import { previewSchedule } from '../../../schedules/catalogue/preview-schedule.ts'
import {
  deleteSchedule,
  listSchedules,
  listScheduleTicks,
  readSchedule,
  readScheduleInput,
  type ScheduleDeps,
} from '../../../schedules/catalogue/schedules.ts'
import type { Mount } from '../../mount.ts'
import { untrustedHeaders } from '../../responses/send-download.ts'

const addressOf = ({ cid, sid }: { cid: string; sid: string }) => ({ chatroomId: cid, scheduleId: sid })

/** Schedules of a room: its people read them, its managers make them. */
export function mountScheduleRoutes(mount: Mount, deps: ScheduleDeps): void {
  mount(scheduleRoutes.listSchedules, async ({ principal, params }) => {
    const items = await listSchedules(deps, principal, params.cid)
    return { items, page_size: pageSizeMax, next_page_token: null }
  })
  mount(scheduleRoutes.previewSchedule, ({ principal, params, query }) =>
    previewSchedule(deps, principal, {
      chatroomId: params.cid,
      taskId: query.task_id,
      cron: query.cron,
      time_zone: query.time_zone,
      timeoutSeconds: query.timeout_seconds,
    }),
  )
  mount(scheduleRoutes.createSchedule, ({ principal, params, body }) =>
    createSchedule(deps, principal, { chatroomId: params.cid, request: body }),
  )
  mount(scheduleRoutes.readSchedule, ({ principal, params }) =>
    readSchedule(deps, principal, addressOf(params)),
  )
  mount(scheduleRoutes.readScheduleInput, async ({ principal, params, reply }) => {
    const input = await readScheduleInput(deps, principal, addressOf(params))
    return reply.headers({ ...untrustedHeaders, 'content-type': 'application/json' }).send(input)
  })
  mount(scheduleRoutes.updateSchedule, ({ principal, params, body }) =>
    updateSchedule(deps, principal, { ...addressOf(params), request: body }),
  )
  mount(scheduleRoutes.deleteSchedule, ({ principal, params }) =>
    deleteSchedule(deps, principal, addressOf(params)),
  )
  mount(scheduleRoutes.listScheduleTicks, ({ principal, params, query }) =>
    listScheduleTicks(deps, principal, { ...addressOf(params), query }),
  )
}
