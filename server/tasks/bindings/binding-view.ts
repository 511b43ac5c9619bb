import type { Binding, BindingList } from '@sandbox-jobs/contract/resources/tasks/binding.ts'
import type { Principal } from '../../access/principal.ts'
import { afterIdOf, type ListRequest, pageByIdOf, statesOfLifecycle } from '../catalogue/list-request.ts'
import { seeTask, type TaskContext } from '../catalogue/task-access.ts'
import { type BindingListFilter, type BindingView, listBindingViews } from './binding-store.ts'

/** True while the room has the authority generation that it had when the binding was created. */
export const isApplicable = (row: BindingView): boolean =>
  row.room_deleted_at === null && row.target_authority_generation === row.authority_generation

/** Renders a binding (contract part 1, "Binding and granted job"). A revoked one reports no available update. */
export const renderBinding = (row: BindingView): Binding => ({
  id: row.id,
  company_id: row.company_id,
  chatroom_id: row.chatroom_id,
  task_id: row.task_id,
  task_version_id: row.task_version_id,
  generation: row.generation,
  share_generation: row.share_generation,
  target_authority_generation: row.target_authority_generation,
  state: row.state as Binding['state'],
  update_available: row.state === 'enabled' && row.has_newer_version,
  authority_applicable: isApplicable(row),
  accepted_at: row.accepted_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
})

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
