import type { GrantedJob } from '@sandbox-jobs/contract/resources/tasks/granted-job.ts'
import type { ShareGrant } from '@sandbox-jobs/contract/resources/tasks/share.ts'
import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import type { Principal } from '../../../server/access/principal.ts'
import type { Caller } from '../caller.ts'

interface Draft {
  taskId: string
  environmentVersionId: string
  fields?: Record<string, unknown>
}

/** Operations on tasks through the API. */
export class TaskSteps {
  readonly #api: Caller

  constructor(api: Caller) {
    this.#api = api
  }

  create(principal: Principal, owner: { scope: string; id: string }): Promise<Task> {
    const body = { name: 'Report', owner_scope: owner.scope, owner_id: owner.id }
    return this.#api.must(taskRoutes.createTask, principal, { body })
  }

  draft(principal: Principal, { taskId: id, environmentVersionId, fields }: Draft): Promise<TaskVersion> {
    const body = { environment_version_id: environmentVersionId, ...fields }
    return this.#api.must(taskRoutes.createTaskVersion, principal, { params: { id }, body })
  }

  async publish(principal: Principal, draft: Draft): Promise<TaskVersion> {
    const { id: vid } = await this.draft(principal, draft)
    return this.#api.must(taskRoutes.publishTaskVersion, principal, { params: { id: draft.taskId, vid } })
  }

  share(principal: Principal, share: { taskId: string; kind: string; id: string }): Promise<ShareGrant> {
    const body = { target_kind: share.kind, target_id: share.id }
    return this.#api.must(taskRoutes.createShare, principal, { params: { id: share.taskId }, body })
  }

  enable(principal: Principal, cid: string, tid: string): Promise<GrantedJob> {
    return this.#api.must(chatroomRoutes.enableGrantedJob, principal, { params: { cid, tid } })
  }
}
