import type { Binding, BindingCreateRequest } from '@sandbox-jobs/contract/resources/tasks/binding.ts'
import { authorize, roomSubject } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Trx } from '../../db/database.ts'
import type { TaskContext } from '../catalogue/task-access.ts'
import { lockTask, type TaskRow } from '../catalogue/task-store.ts'
import { findVersion, type TaskVersionRow } from '../versions/task-version-store.ts'
import { lockGrantedTask, pinVersion, requirePinnable } from './binding-pin.ts'
import { type BindingView, findBindingView, movePin, revokeBinding } from './binding-store.ts'
import { isApplicable, renderBinding } from './binding-view.ts'

/** Bindings by id, for managers of the room (contract part 2, "Bindings"). */
export async function createBinding(
  context: TaskContext,
  principal: Principal,
  request: BindingCreateRequest,
): Promise<Binding> {
  const room = await context.directory.requireRoom(principal, 'binding.manage', request.chatroom_id)
  return context.db.transaction().execute(async (trx) => {
    const pin = {
      taskId: request.task_id,
      taskVersionId: request.task_version_id,
      now: context.clock.now(),
    }
    const { id } = await pinVersion(trx, room, pin)
    return renderBinding(await viewOf(trx, principal, id))
  })
}

/** Managers of the department can still read the bindings of a deleted room. */
export async function readBinding(
  context: TaskContext,
  principal: Principal,
  bindingId: string,
): Promise<Binding> {
  const row = await findBindingView(context.db, principal.companyId, bindingId)
  if (!row) throw notFound()
  if (row.room_deleted_at === null)
    await context.directory.requireRoom(principal, 'binding.manage', row.chatroom_id)
  else authorize(principal, 'binding.manage', roomSubject(row.chatroom_id, { ...row, room_manager: null }))
  return renderBinding(row)
}

/**
 * Changes the pin to a newer published version of the same task. Throws `illegal_transition` for a binding that is
 * revoked or no longer applies and for a version that is not newer than the pin, and the errors of enabling.
 */
export async function acceptVersion(
  context: TaskContext,
  principal: Principal,
  accept: { bindingId: string; taskVersionId: string },
): Promise<Binding> {
  const { chatroom_id, task_id, id } = await requireManagedBinding(context, principal, accept.bindingId)
  const room = await context.directory.requireRoom(principal, 'binding.manage', chatroom_id)
  return context.db.transaction().execute(async (trx) => {
    const { task, share } = await lockGrantedTask(trx, room, task_id)
    const row = await viewOf(trx, principal, id)
    if (row.state !== 'enabled' || !isApplicable(row)) throw new CodedError('illegal_transition')
    const version = await requirePinnable(trx, task, accept.taskVersionId)
    if (!isNewer(version, await pinnedVersion(trx, task, row))) throw new CodedError('illegal_transition')
    await movePin(trx, row, {
      task_version_id: version.id,
      share_generation: share.generation,
      accepted_at: context.clock.now(),
    })
    return renderBinding(await viewOf(trx, principal, id))
  })
}

/** Revokes a binding, as disabling the task does. Throws `illegal_transition` if it is already revoked. */
export async function revokeBindingById(
  context: TaskContext,
  principal: Principal,
  revoke: { bindingId: string; reason: string },
): Promise<Binding> {
  const { id, task_id } = await requireManagedBinding(context, principal, revoke.bindingId)
  return context.db.transaction().execute(async (trx) => {
    await lockTask(trx, principal.companyId, task_id)
    const set = { revoked_at: context.clock.now(), revoke_reason: revoke.reason }
    if (!(await revokeBinding(trx, { companyId: principal.companyId, id }, set)))
      throw new CodedError('illegal_transition')
    return renderBinding(await viewOf(trx, principal, id))
  })
}

/** The binding of a live room that the caller manages. Throws `not_found`. */
async function requireManagedBinding(
  context: TaskContext,
  principal: Principal,
  id: string,
): Promise<BindingView> {
  const row = await viewOf(context.db, principal, id)
  await context.directory.requireRoom(principal, 'binding.manage', row.chatroom_id)
  return row
}

async function viewOf(db: TaskContext['db'] | Trx, principal: Principal, id: string): Promise<BindingView> {
  const row = await findBindingView(db, principal.companyId, id)
  if (!row) throw notFound()
  return row
}

const pinnedVersion = (trx: Trx, task: TaskRow, row: BindingView): Promise<TaskVersionRow | undefined> =>
  findVersion(trx, { companyId: task.company_id, taskId: task.id, id: row.task_version_id })

/** By the time of publishing, as for `update_available`: drafts need not be published in the order of their numbers. */
function isNewer(version: TaskVersionRow, pinned: TaskVersionRow | undefined): boolean {
  const later = (version.published_at?.getTime() ?? 0) - (pinned?.published_at?.getTime() ?? 0)
  return later > 0 || (later === 0 && version.version_number > (pinned?.version_number ?? 0))
}
