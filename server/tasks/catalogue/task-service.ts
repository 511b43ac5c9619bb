import type {
  Task,
  TaskCreateRequest,
  TaskList,
  TaskUpdateRequest,
} from '@sandbox-jobs/contract/resources/tasks/task.ts'
import { authorize, may, ownCompany, ownedBy, refusalOf } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota, taskBytes } from '../../companies/storage/storage-quota.ts'
import { afterIdOf, type ListRequest, pageByIdOf, statesOfLifecycle } from './list-request.ts'
import { renderTask } from './render-task.ts'
import { reachOf, requireManagedTask, seeTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { insertTask, listTasks, updateActiveTask } from './task-store.ts'

/** The task catalogue: create, find and rename (contract part 2, "Tasks, versions, shares"). */
export async function createTask(
  context: TaskContext,
  principal: Principal,
  request: TaskCreateRequest,
): Promise<Task> {
  await requireOwnable(context, principal, request)
  const row = await context.db.transaction().execute(async (trx) => {
    await requireStorageQuota(trx, principal.companyId, taskBytes)
    return insertTask(trx, {
      id: newId('task'),
      company_id: principal.companyId,
      owner_scope: request.owner_scope,
      owner_id: request.owner_id,
      name: request.name,
      description: request.description ?? '',
      agent_enabled: request.agent_enabled ?? false,
    })
  })
  return renderTask(row)
}

/** An owner that does not exist gets the same error as one that the caller must not use. */
async function requireOwnable(
  context: TaskContext,
  principal: Principal,
  { owner_scope, owner_id }: TaskCreateRequest,
): Promise<void> {
  const { companyId: company_id } = principal
  authorize(principal, 'task.create', ownedBy({ company_id, owner_scope, owner_id }))
  const exists =
    owner_scope === 'company'
      ? owner_id === company_id
      : (await context.directory.department(company_id, owner_id)) !== undefined
  if (!exists) throw refusalOf('task.create')
}

/** The tasks that the caller manages or reaches by a share. */
export async function listVisibleTasks(
  context: TaskContext,
  principal: Principal,
  request: ListRequest,
): Promise<TaskList> {
  const seenBy = may(principal, 'task.list_all', ownCompany)
    ? undefined
    : { departmentIds: principal.managedDepartmentIds, reach: await reachOf(context, principal) }
  const list = `tasks:${principal.companyId}`
  const size = request.page_size
  const rows = await listTasks(context.db, {
    companyId: principal.companyId,
    states: statesOfLifecycle(request.lifecycle, { active: ['active'], retired: ['archived'] }),
    seenBy,
    afterId: afterIdOf(context.pages, list, request),
    limit: size + 1,
  })
  return pageByIdOf(context.pages, list, { rows, size }, renderTask)
}

export async function readTask(context: TaskContext, principal: Principal, taskId: string): Promise<Task> {
  return renderTask((await seeTask(context, principal, taskId)).task)
}

export async function updateTask(
  context: TaskContext,
  principal: Principal,
  change: { taskId: string; request: TaskUpdateRequest },
): Promise<Task> {
  const task = await requireManagedTask(context.db, principal, 'task.change', change.taskId)
  const { name, description, agent_enabled } = change.request
  const set = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(agent_enabled !== undefined && { agent_enabled }),
  }
  if (Object.keys(set).length === 0) throw new CodedError('no_fields')
  const key = { companyId: principal.companyId, id: task.id }
  const row = await updateActiveTask(context.db, key, set)
  if (!row) throw new CodedError('task_archived')
  return renderTask(row)
}
