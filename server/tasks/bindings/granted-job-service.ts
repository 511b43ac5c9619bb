import {
  type GrantedJob,
  type GrantedJobList,
  grantedJobsMaxBytes,
  grantedJobsOfPage,
} from '@sandbox-jobs/contract/resources/tasks/granted-job.ts'
import type { Room } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Trx } from '../../db/database.ts'
import { type BoundSlots, boundSlotsOf, slottedTasks } from '../../secrets/resolve/bound-slots.ts'
import { afterIdOf } from '../catalogue/list-request.ts'
import type { TaskContext } from '../catalogue/task-access.ts'
import { lockTask, type TaskRow } from '../catalogue/task-store.ts'
import { secretSlotsOf } from '../versions/secret-slots.ts'
import { pinVersion } from './binding-pin.ts'
import { latestBinding, revokeBinding } from './binding-store.ts'
import { type GrantRow, grantedTasks } from './granted-job-store.ts'

/** The tasks granted to a room, with those that its managers have enabled (contract part 1, "Binding and granted job"). */
export async function listGrantedJobs(
  context: TaskContext,
  principal: Principal,
  { chatroomId, query }: { chatroomId: string; query: { page_size?: number; page_token?: string } },
): Promise<GrantedJobList> {
  const room = await context.directory.requireRoom(principal, 'granted_job.manage', chatroomId)
  const list = `granted-jobs:${room.id}`
  const size = query.page_size ?? grantedJobsOfPage
  const afterId = afterIdOf(context.pages, list, query)
  const rows = await grantedTasks(context.db, room, { afterId, limit: size + 1 })
  const bound = await boundSlotsOf(context.db, room, slottedTasks(rows))
  const page = context.pages.page(list, rows, size, {
    item: (row) => renderGrantedJob(row, bound(row.task_id)),
    cursor: (row) => [row.task_id],
    maxBytes: grantedJobsMaxBytes,
  })
  return { ...page, chatroom_id: room.id }
}

/**
 * Pins a version of a shared task in a room: the named one, or the current published one. If the task is already enabled,
 * its pin is changed; otherwise a binding of the next generation is created. Throws `task_archived`,
 * `task_not_shared_to_room`, `version_not_runnable`.
 */
export async function enableGrantedJob(
  context: TaskContext,
  principal: Principal,
  enable: { chatroomId: string; taskId: string; taskVersionId: string | undefined },
): Promise<GrantedJob> {
  const room = await context.directory.requireRoom(principal, 'granted_job.manage', enable.chatroomId)
  return context.db.transaction().execute(async (trx) => {
    const { task_id } = await pinVersion(trx, room, { ...enable, now: context.clock.now() })
    return requireGrantedJob(trx, room, task_id)
  })
}

/** Removes a task from the room's menu; its share stays. Idempotent. */
export async function disableGrantedJob(
  context: TaskContext,
  principal: Principal,
  disable: { chatroomId: string; taskId: string },
): Promise<GrantedJob> {
  const room = await context.directory.requireRoom(principal, 'granted_job.manage', disable.chatroomId)
  return context.db.transaction().execute(async (trx) => {
    const task = await lockTask(trx, room.company_id, disable.taskId)
    if (!task) throw notFound()
    const key = { companyId: room.company_id, chatroomId: room.id, taskId: task.id }
    const binding = await latestBinding(trx, key)
    if (binding?.state === 'enabled') {
      await revokeBinding(
        trx,
        { companyId: room.company_id, id: binding.id },
        { revoked_at: context.clock.now(), revoke_reason: 'disabled' },
      )
    }
    const [granted] = await grantedTasks(trx, room, { taskId: task.id })
    if (granted) return renderOne(trx, room, granted)
    if (!binding) throw new CodedError('task_not_shared_to_room')
    return renderOne(trx, room, withoutGrant(task))
  })
}

async function requireGrantedJob(trx: Trx, room: Room, taskId: string): Promise<GrantedJob> {
  const [granted] = await grantedTasks(trx, room, { taskId })
  if (!granted) throw new CodedError('task_not_shared_to_room')
  return renderOne(trx, room, granted)
}

/** An enabled task whose share was revoked before it was disabled. */
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
  has_newer_version: false,
  secret_slot_declarations: null,
})

const renderOne = async (trx: Trx, room: Room, row: GrantRow): Promise<GrantedJob> =>
  renderGrantedJob(row, (await boundSlotsOf(trx, room, slottedTasks([row])))(row.task_id))

const renderGrantedJob = (row: GrantRow, bound: BoundSlots): GrantedJob => ({
  task_id: row.task_id,
  task_name: row.task_name,
  task_description: row.task_description,
  owner_scope: row.owner_scope as GrantedJob['owner_scope'],
  owner_id: row.owner_id,
  secret_slots: secretSlotsOf(row.secret_slot_declarations, row.secret_slot_policies, bound),
  enabled: row.binding_id !== null,
  binding_id: row.binding_id,
  pinned_task_version_id: row.pinned_task_version_id,
  current_published_version_id: row.current_published_version_id,
  update_available: row.has_newer_version,
})
