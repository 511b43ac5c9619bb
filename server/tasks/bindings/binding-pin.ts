import type { Room } from '../../access/directory/directory.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota, taskBytes } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { lockTask, type TaskRow } from '../catalogue/task-store.ts'
import { applicableShareOf, type ShareRow } from '../shares/share-store.ts'
import { findVersion, type TaskVersionRow } from '../versions/task-version-store.ts'
import { type BindingRow, insertBinding, latestBinding, movePin, revokeBinding } from './binding-store.ts'

/**
 * Pins a version of a shared task in a room: the named one, or the current published one. If the task is already enabled,
 * its pin is changed; otherwise a binding of the next generation is created. The caller has checked that the principal
 * manages the room. Throws `task_archived`, `task_not_shared_to_room`, `version_not_runnable`.
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

/** The task, locked until the transaction ends, and the share that grants it to the room. */
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

/** Throws `not_found` for a version of another task, `version_not_runnable` for one that cannot be run. */
export async function requirePinnable(trx: Trx, task: TaskRow, id: string): Promise<TaskVersionRow> {
  const version = await findVersion(trx, { companyId: task.company_id, taskId: task.id, id })
  if (!version) throw notFound()
  if (version.state !== 'published' || version.content_state !== 'active') {
    throw new CodedError('version_not_runnable')
  }
  return version
}

/** A binding created under an earlier authority generation of the room no longer applies and is replaced. */
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
  await requireStorageQuota(trx, room.company_id, taskBytes)
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
