import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { ScheduleTick } from '@sandbox-jobs/contract/resources/schedules/schedule-tick.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { scheduleRoutes } from '@sandbox-jobs/contract/routes/schedule-routes.ts'
import type { Principal } from '../../../server/access/principal.ts'
import type { Database } from '../../../server/db/database.ts'
import { makeRunnableTask, type RunnableTask } from '../../factories/runs.ts'
import { makeTenant, type Tenant } from '../../factories/tenant.ts'
import type { Answer } from '../answer.ts'
import type { CallOptions } from '../caller.ts'
import type { TestApi } from '../test-api.ts'

/** A room that offers a task. */
export interface OfferedTask {
  tenant: Tenant
  task: RunnableTask
}

/** Schedules of tests through the API. */
export class ScheduleSteps {
  readonly #api: TestApi

  constructor(api: TestApi) {
    this.#api = api
  }

  async offer(db: Database, version: Parameters<typeof makeRunnableTask>[2] = {}): Promise<OfferedTask> {
    const tenant = await makeTenant(db)
    const task = await makeRunnableTask(db, tenant.companyId, version)
    await this.#api.must(chatroomRoutes.enableGrantedJob, tenant.roomManager, {
      params: { cid: tenant.roomId, tid: task.taskId },
      body: { task_version_id: task.versionId },
    })
    return { tenant, task }
  }

  /** Each month, with `traits` in the request, by default as the manager of the room. */
  create(
    { tenant, task }: OfferedTask,
    traits: Record<string, unknown> = {},
    principal: Principal = tenant.roomManager,
  ): Promise<Answer<Schedule>> {
    return this.#api.call<Schedule>(scheduleRoutes.createSchedule, principal, {
      params: { cid: tenant.roomId },
      body: {
        name: 'report',
        task_id: task.taskId,
        cron: '0 0 1 * *',
        time_zone: 'UTC',
        input: { month: '2026-10' },
        ...traits,
      },
    })
  }

  async mustCreate(offered: OfferedTask, traits: Record<string, unknown> = {}): Promise<Schedule> {
    const answer = await this.create(offered, traits)
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    return answer.body
  }

  /** Calls a route on a schedule. */
  of<Body = Record<string, unknown>>(
    { tenant }: Pick<OfferedTask, 'tenant'>,
    { id }: Pick<Schedule, 'id'>,
    route: Route,
    { as = tenant.roomManager, ...options }: CallOptions & { as?: Principal } = {},
  ): Promise<Answer<Body>> {
    return this.#api.call<Body>(route, as, { ...options, params: { cid: tenant.roomId, sid: id } })
  }

  async read(offered: OfferedTask, schedule: Pick<Schedule, 'id'>): Promise<Schedule> {
    return (await this.of<Schedule>(offered, schedule, scheduleRoutes.readSchedule)).body
  }

  /** Oldest first. */
  async ticks(offered: OfferedTask, schedule: Pick<Schedule, 'id'>): Promise<ScheduleTick[]> {
    const route = scheduleRoutes.listScheduleTicks
    const { body } = await this.of<{ items: ScheduleTick[] }>(offered, schedule, route)
    return body.items.toReversed()
  }
}
