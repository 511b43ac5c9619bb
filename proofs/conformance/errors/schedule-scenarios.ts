import { schedulesPerRoom } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { ErrorScenarios, ScenarioContext } from './error-scenario.ts'

const request = ({ ids }: ScenarioContext, name: string) => ({
  params: { cid: ids.room },
  body: { name, task_id: ids.task, cron: '0 6 * * *', time_zone: 'UTC', input: {} },
})

/** Errors of schedules. */
export const scheduleScenarios: ErrorScenarios = {
  schedule_limit: async (context) => {
    // The seed has made one.
    for (let made = 1; made < schedulesPerRoom; made += 1)
      await context.sendOk('manager', allRoutes.createSchedule, request(context, `Schedule ${made}`))
    return context.send('manager', allRoutes.createSchedule, request(context, 'One more'))
  },
  schedule_needs_confirmation: async (context) => {
    const { ids, db, world } = context
    await db
      .updateTable('task_versions')
      .set({ requires_confirmation: true })
      .where('id', '=', ids.taskVersion)
      .where('company_id', '=', world.own.companyId)
      .execute()
    return context.send('manager', allRoutes.createSchedule, request(context, 'Careful'))
  },
}
