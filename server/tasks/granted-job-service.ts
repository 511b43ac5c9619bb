import type { GrantedJob, GrantedJobList } from '@sandbox-jobs/contract/resources/granted-job.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import type { Trx } from '../db/database.ts'
import type { Room } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { insertBinding, latestBinding, movePin, revokeBinding } from './binding-store.ts'
import { type GrantRow, grantedTasks } from './granted-job-store.ts'
import { isOutdated } from './render-task-version.ts'
import { secretSlotsOf } from './secret-slots.ts'
import { applicableShareOf, type ShareRow } from './share-store.ts'
import type { TaskContext } from './task-context.ts'
import { lockTask, type TaskRow } from './task-store.ts'
import { findVersion } from './task-version-store.ts'

/** What a room has been granted and which of it its managers have enabled (contract part 1, "Binding and granted job"). */
export async function listGrantedJobs(
  context: TaskContext,
  principal: Principal,
  chatroomId: string,
): Promise<GrantedJobList> {
  const room = await context.directory.requireRoomManager(principal, chatroomId)
  const rows = await grantedTasks(context.db, room, { taskId: undefined })
  return { chatroom_id: room.id, items: rows.map(renderGrantedJob) }
}

/**
 * Pins a version of a shared task in a room: the current published one unless one is named. An enabled task has
 * its pin moved; otherwise a binding of the next generation is made. Throws `task_archived`,
 * `task_not_shared_to_room`, `version_not_runnable`.
 */
export async function enableGrantedJob(
  context: TaskContext,
  principal: Principal,
  enable: { chatroomId: string; taskId: string; taskVersionId: string | undefined },
): Promise<GrantedJob> {
  const room = await context.directory.requireRoomManager(principal, enable.chatroomId)
  return context.db.transaction().execute(async (trx) => {
    const task = await lockTask(trx, room.company_id, enable.taskId)
    if (!task) throw notFound()
    if (task.state !== 'active') throw new CodedError('task_archived')
    const share = await applicableShareOf(trx, room, task.id)
    if (!share) throw new CodedError('task_not_shared_to_room')
    const taskVersionId = await requirePinnable(trx, task, enable.taskVersionId)
    await bind(trx, { room, share, taskVersionId, now: context.clock.now() })
    return requireGrantedJob(trx, room, task.id)
  })
}

/** Throws `not_found` for a version of another task, `version_not_runnable` for one that could not be run. */
async function requirePinnable(trx: Trx, task: TaskRow, requested: string | undefined): Promise<string> {
  const id = requested ?? task.current_published_version_id
  if (id === null) throw new CodedError('version_not_runnable')
  const version = await findVersion(trx, { companyId: task.company_id, taskId: task.id, id })
  if (!version) throw notFound()
  if (version.state !== 'published' || version.content_state !== 'active') {
    throw new CodedError('version_not_runnable')
  }
  return version.id
}

/** A binding made under an earlier authority of the room does not apply any more and gives way to a new one. */
async function bind(
  trx: Trx,
  pin: { room: Room; share: ShareRow; taskVersionId: string; now: Date },
): Promise<void> {
  const { room, share, taskVersionId, now } = pin
  const key = { companyId: room.company_id, chatroomId: room.id, taskId: share.task_id }
  const latest = await latestBinding(trx, key)
  if (latest?.state === 'enabled') {
    if (latest.target_authority_generation === room.authority_generation) {
      const set = { task_version_id: taskVersionId, share_generation: share.generation, accepted_at: now }
      await movePin(trx, latest.id, set)
      return
    }
    await revokeBinding(trx, latest.id, { revoked_at: now, revoke_reason: 'authority_changed' })
  }
  await insertBinding(trx, {
    id: newId('binding'),
    company_id: room.company_id,
    chatroom_id: room.id,
    task_id: share.task_id,
    task_version_id: taskVersionId,
    generation: (latest?.generation ?? 0) + 1,
    share_generation: share.generation,
    target_authority_generation: room.authority_generation,
    accepted_at: now,
  })
}

/** Takes a task out of the room's menu; its share stays. Disabling what is not enabled changes nothing. */
export async function disableGrantedJob(
  context: TaskContext,
  principal: Principal,
  disable: { chatroomId: string; taskId: string },
): Promise<GrantedJob> {
  const room = await context.directory.requireRoomManager(principal, disable.chatroomId)
  return context.db.transaction().execute(async (trx) => {
    const task = await lockTask(trx, room.company_id, disable.taskId)
    if (!task) throw notFound()
    const key = { companyId: room.company_id, chatroomId: room.id, taskId: task.id }
    const binding = await latestBinding(trx, key)
    if (binding?.state === 'enabled') {
      await revokeBinding(trx, binding.id, { revoked_at: context.clock.now(), revoke_reason: 'disabled' })
    }
    const [granted] = await grantedTasks(trx, room, { taskId: task.id })
    if (granted) return renderGrantedJob(granted)
    if (!binding) throw new CodedError('task_not_shared_to_room')
    return renderGrantedJob(withoutGrant(task))
  })
}

async function requireGrantedJob(trx: Trx, room: Room, taskId: string): Promise<GrantedJob> {
  const [granted] = await grantedTasks(trx, room, { taskId })
  if (!granted) throw new CodedError('task_not_shared_to_room')
  return renderGrantedJob(granted)
}

/** A task whose share has ended before it was disabled. */
const withoutGrant = (task: TaskRow): GrantRow => ({
  task_id: task.id,
  task_name: task.name,
  task_description: task.description,
  owner_scope: task.owner_scope,
  owner_id: task.owner_id,
  current_published_version_id: task.current_published_version_id,
  secret_slot_policies: null,
  binding_id: null,
  pinned_task_version_id: null,
  secret_slot_declarations: null,
})

const renderGrantedJob = (row: GrantRow): GrantedJob => ({
  task_id: row.task_id,
  task_name: row.task_name,
  task_description: row.task_description,
  owner_scope: row.owner_scope as GrantedJob['owner_scope'],
  owner_id: row.owner_id,
  secret_slots: secretSlotsOf(row.secret_slot_declarations, row.secret_slot_policies),
  enabled: row.binding_id !== null,
  binding_id: row.binding_id,
  pinned_task_version_id: row.pinned_task_version_id,
  current_published_version_id: row.current_published_version_id,
  update_available:
    row.pinned_task_version_id !== null &&
    isOutdated(row.pinned_task_version_id, row.current_published_version_id),
})
