import { CodedError, notFound } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import type { Trx } from '../db/database.ts'
import type { Room } from '../platform/directory.ts'
import { type BindingRow, insertBinding, latestBinding, movePin, revokeBinding } from './binding-store.ts'
import { applicableShareOf, type ShareRow } from './share-store.ts'
import { lockTask, type TaskRow } from './task-store.ts'
import { findVersion, type TaskVersionRow } from './task-version-store.ts'

/**
 * Pins a version of a shared task in a room: the current published one unless one is named. An enabled task has
 * its pin moved; otherwise a binding of the next generation is made. The caller has checked that the room may be
 * managed. Throws `task_archived`, `task_not_shared_to_room`, `version_not_runnable`.
 */
export async function pinVersion(
  trx: Trx,
  room: Room,
  pin: { taskId: string; taskVersionId: string | undefined; now: Date },
): Promise<BindingRow> {
  const { task, share } = await lockGrantedTask(trx, room, pin.taskId)
  const wanted = pin.taskVersionId ?? task.current_published_version_id
  if (wanted === null) throw new CodedError('version_not_runnable')
  const version = await requirePinnable(trx, task, wanted)
  return bind(trx, { room, share, taskVersionId: version.id, now: pin.now })
}

/** The task, held until the transaction ends, and the share that grants it to the room. */
export async function lockGrantedTask(
  trx: Trx,
  room: Room,
  taskId: string,
): Promise<{ task: TaskRow; share: ShareRow }> {
  const task = await lockTask(trx, room.company_id, taskId)
  if (!task) throw notFound()
  if (task.state !== 'active') throw new CodedError('task_archived')
  const share = await applicableShareOf(trx, room, task.id)
  if (!share) throw new CodedError('task_not_shared_to_room')
  return { task, share }
}

/** Throws `not_found` for a version of another task, `version_not_runnable` for one that could not be run. */
export async function requirePinnable(trx: Trx, task: TaskRow, id: string): Promise<TaskVersionRow> {
  const version = await findVersion(trx, { companyId: task.company_id, taskId: task.id, id })
  if (!version) throw notFound()
  if (version.state !== 'published' || version.content_state !== 'active') {
    throw new CodedError('version_not_runnable')
  }
  return version
}

/** A binding made under an earlier authority of the room does not apply any more and gives way to a new one. */
async function bind(
  trx: Trx,
  pin: { room: Room; share: ShareRow; taskVersionId: string; now: Date },
): Promise<BindingRow> {
  const { room, share, taskVersionId, now } = pin
  const key = { companyId: room.company_id, chatroomId: room.id, taskId: share.task_id }
  const latest = await latestBinding(trx, key)
  if (latest?.state === 'enabled') {
    if (latest.target_authority_generation === room.authority_generation) {
      const set = { task_version_id: taskVersionId, share_generation: share.generation, accepted_at: now }
      await movePin(trx, latest, set)
      return { ...latest, ...set }
    }
    await revokeBinding(
      trx,
      { companyId: latest.company_id, id: latest.id },
      { revoked_at: now, revoke_reason: 'authority_changed' },
    )
  }
  return insertBinding(trx, {
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
