import type { BindingList } from '@sandbox-jobs/contract/resources/tasks/binding.ts'
import type { Principal } from '../../access/principal.ts'
import { afterIdOf, type ListRequest, pageByIdOf, statesOfLifecycle } from '../catalogue/list-request.ts'
import { seeTask } from '../catalogue/task-access.ts'
import type { TaskContext } from '../catalogue/task-context.ts'
import { type BindingListFilter, listBindingViews } from './binding-store.ts'
import { renderBinding } from './binding-view.ts'

/** The rooms that enabled a task: all of them for its owner, otherwise those that the caller manages (contract part 2). */
export async function listTaskBindings(
  context: TaskContext,
  principal: Principal,
  query: { taskId: string; request: ListRequest },
): Promise<BindingList> {
  const { task, view } = await seeTask(context, principal, query.taskId)
  const chatroomIds = view === 'owner' ? undefined : await context.directory.managedRoomIds(principal)
  const list = { name: `task-bindings:${task.id}`, taskId: task.id, chatroomIds }
  return bindingPage(context, principal, { ...list, request: query.request })
}

/** The tasks that a room has enabled, for its managers. */
export async function listRoomBindings(
  context: TaskContext,
  principal: Principal,
  query: { chatroomId: string; request: ListRequest },
): Promise<BindingList> {
  const room = await context.directory.requireRoom(principal, 'granted_job.manage', query.chatroomId)
  const list = { name: `room-bindings:${room.id}`, chatroomIds: [room.id] }
  return bindingPage(context, principal, { ...list, request: query.request })
}

async function bindingPage(
  context: TaskContext,
  principal: Principal,
  list: Pick<BindingListFilter, 'taskId' | 'chatroomIds'> & { name: string; request: ListRequest },
): Promise<BindingList> {
  const { name, taskId, chatroomIds, request } = list
  const size = request.page_size
  const rows = await listBindingViews(context.db, {
    companyId: principal.companyId,
    taskId,
    chatroomIds,
    states: statesOfLifecycle(request.lifecycle, { active: ['enabled'], retired: ['revoked'] }),
    beforeId: afterIdOf(context.pages, name, request),
    limit: size + 1,
  })
  const page = pageByIdOf(context.pages, name, { rows, size }, renderBinding)
  return { ...page, truncated: page.next_page_token !== null }
}
