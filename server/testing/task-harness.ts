import { randomBytes } from 'node:crypto'
import type { GrantedJob } from '@sandbox-jobs/contract/resources/granted-job.ts'
import type { ShareGrant } from '@sandbox-jobs/contract/resources/share.ts'
import type { Task } from '@sandbox-jobs/contract/resources/task.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/task-version.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import type { Database, Trx } from '../db/database.ts'
import { createApp } from '../http/app.ts'
import { mounter } from '../http/mount.ts'
import { mountGrantedJobRoutes } from '../http/routes/granted-jobs.ts'
import { mountMenuRoutes } from '../http/routes/menu.ts'
import { mountShareRoutes } from '../http/routes/shares.ts'
import { mountTaskVersionRoutes } from '../http/routes/task-versions.ts'
import { mountTaskRoutes } from '../http/routes/tasks.ts'
import { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import type { TaskContext } from '../tasks/task-context.ts'

export interface Answer<Body = Record<string, unknown>> {
  status: number
  body: Body
}

export interface CallOptions {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

/** The routes of tasks over HTTP, called as whoever a test names. */
export class TaskHarness {
  readonly context: TaskContext
  readonly cancelledTasks: string[] = []
  readonly #app = createApp(createLog('test', 'silent'))

  constructor(db: Database) {
    this.context = {
      db,
      directory: new Directory(db),
      pages: new PageTokens(randomBytes(32)),
      clock: systemClock,
      cancelQueuedRunsOfTask: async (_trx: Trx, taskId: string) => void this.cancelledTasks.push(taskId),
    }
    const authenticate = async (headers: Record<string, unknown>) =>
      JSON.parse(String(headers['x-test-principal'])) as Principal
    const mount = mounter(this.#app, { authenticate, enabled: true })
    mountTaskRoutes(mount, this.context)
    mountTaskVersionRoutes(mount, this.context)
    mountShareRoutes(mount, this.context)
    mountGrantedJobRoutes(mount, this.context)
    mountMenuRoutes(mount, this.context)
  }

  async call<Body = Record<string, unknown>>(
    route: Route,
    principal: Principal,
    options: CallOptions = {},
  ): Promise<Answer<Body>> {
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => options.params?.[name] ?? '')
    const response = await this.#app.inject({
      method: route.method,
      url,
      query: options.query ?? {},
      headers: {
        'x-test-principal': JSON.stringify(principal),
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(options.body !== undefined && { payload: JSON.stringify(options.body) }),
    })
    return { status: response.statusCode, body: response.json() as Body }
  }

  createTask(principal: Principal, owner: { scope: string; id: string }): Promise<Task> {
    const body = { name: 'Report', owner_scope: owner.scope, owner_id: owner.id }
    return this.#must(taskRoutes.createTask, principal, { body })
  }

  createDraft(
    principal: Principal,
    draft: { taskId: string; environmentVersionId: string; fields?: Record<string, unknown> },
  ): Promise<TaskVersion> {
    const body = { environment_version_id: draft.environmentVersionId, ...draft.fields }
    return this.#must(taskRoutes.createTaskVersion, principal, { params: { id: draft.taskId }, body })
  }

  async publish(
    principal: Principal,
    draft: { taskId: string; environmentVersionId: string; fields?: Record<string, unknown> },
  ): Promise<TaskVersion> {
    const { id: vid } = await this.createDraft(principal, draft)
    return this.#must(taskRoutes.publishTaskVersion, principal, { params: { id: draft.taskId, vid } })
  }

  share(principal: Principal, share: { taskId: string; kind: string; id: string }): Promise<ShareGrant> {
    const body = { target_kind: share.kind, target_id: share.id }
    return this.#must(taskRoutes.createShare, principal, { params: { id: share.taskId }, body })
  }

  enable(principal: Principal, cid: string, tid: string): Promise<GrantedJob> {
    return this.#must(chatroomRoutes.enableGrantedJob, principal, { params: { cid, tid } })
  }

  /** A call that must succeed, as a step towards what a test is about. */
  async #must<Body>(route: Route, principal: Principal, options: CallOptions): Promise<Body> {
    const { status, body } = await this.call<Body>(route, principal, options)
    if (status !== 200) throw new Error(`${route.method} ${route.path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
}
