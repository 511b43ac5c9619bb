import type { Egress, EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type {
  Task,
  TaskCreateRequest,
  TaskList,
  TaskUpdateRequest,
} from '@sandbox-jobs/contract/resources/tasks/task.ts'
import { authorize, may, ownCompany, ownedBy, refusalOf } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { onceForKey } from '../../access/repeated-writes.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota, taskBytes } from '../../companies/storage/storage-quota.ts'
import { acceptedAllowList } from '../../environments/catalogue/egress.ts'
import { revokeBindingsOf } from '../bindings/binding-store.ts'
import { archiveVersionsOf } from '../versions/task-version-store.ts'
import { afterIdOf, type ListRequest, pageByIdOf, statesOfLifecycle } from './list-request.ts'
import { lockManagedTask, reachOf, requireManagedTask, seeTask, type TaskContext } from './task-access.ts'
import {
  archiveTaskRow,
  insertTask,
  listTasks,
  setAllowList,
  setCurrentVersions,
  type TaskRow,
  updateActiveTask,
} from './task-store.ts'

/** The task catalogue: create, find and rename (contract part 2, "Tasks, versions, shares"). */
export async function createTask(
  context: TaskContext,
  principal: Principal,
  request: TaskCreateRequest,
  key: string | undefined,
): Promise<Task> {
  await requireOwnable(context, principal, request)
  return onceForKey(context, { principal, route: 'tasks', key, request }, async (trx) => {
    await requireStorageQuota(trx, principal.companyId, taskBytes)
    const row = await insertTask(trx, {
      id: newId('task'),
      company_id: principal.companyId,
      owner_scope: request.owner_scope,
      owner_id: request.owner_id,
      name: request.name,
      description: request.description ?? '',
      agent_enabled: request.agent_enabled ?? false,
    })
    return renderTask(row)
  })
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

/** The tasks that the caller manages or reaches by a share. Its page tokens are good for the list of that name. */
export async function listVisibleTasks(
  context: TaskContext,
  principal: Principal,
  request: ListRequest,
  listName = 'tasks',
): Promise<TaskList> {
  const seenBy = may(principal, 'task.list_all', ownCompany)
    ? undefined
    : { departmentIds: principal.managedDepartmentIds, reach: await reachOf(context, principal) }
  const list = `${listName}:${principal.companyId}`
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

/** The wire form of a task; owners and borrowers see the same fields. */
export const renderTask = (row: TaskRow): Task => ({
  id: row.id,
  company_id: row.company_id,
  owner_scope: row.owner_scope as Task['owner_scope'],
  owner_id: row.owner_id,
  name: row.name,
  description: row.description,
  agent_enabled: row.agent_enabled,
  state: row.state as Task['state'],
  security_state: row.security_state as Task['security_state'],
  current_published_version_id: row.current_published_version_id,
  current_draft_version_id: row.current_draft_version_id,
})

const taskArchivedReason = 'task_archived'

/**
 * Archives a task permanently, in one transaction: archives its versions, revokes the bindings of all rooms and cancels
 * queued runs. Shares stay on record but grant nothing. Throws `already_archived`.
 */
export async function archiveTask(context: TaskContext, principal: Principal, taskId: string): Promise<Task> {
  return context.db.transaction().execute(async (trx) => {
    const task = await lockManagedTask(trx, principal, 'task.change', taskId)
    if (!(await archiveTaskRow(trx, principal.companyId, taskId))) throw new CodedError('already_archived')
    const now = context.clock.now()
    await archiveVersionsOf(trx, task, now)
    await revokeBindingsOf(trx, task, { revoked_at: now, revoke_reason: taskArchivedReason })
    await context.cancelQueuedRunsOfTask(trx, task.company_id, taskId)
    const current = { current_published_version_id: null, current_draft_version_id: null }
    await setCurrentVersions(trx, task, current)
    return renderTask({ ...task, ...current, state: 'archived' })
  })
}

/** The destinations that the task's owner allows its runs. Borrowers never see them. */
export async function readTaskEgress(
  context: TaskContext,
  principal: Principal,
  id: string,
): Promise<Egress> {
  const task = await requireManagedTask(context.db, principal, 'task.change', id)
  return { allow_list: task.egress_allow_list }
}

/** Applies to every version from the next start of a run. Throws 422 for an invalid entry. */
export async function changeTaskEgress(
  context: TaskContext,
  principal: Principal,
  { id, allowList }: { id: string; allowList: EgressAllowList | null },
): Promise<Egress> {
  const task = await requireManagedTask(context.db, principal, 'task.change', id)
  const accepted = acceptedAllowList(allowList)
  if (!(await setAllowList(context.db, task, accepted))) throw notFound()
  return { allow_list: accepted }
}
