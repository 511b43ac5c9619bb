import { CodedError, notFound } from '../base/coded-error.ts'
import type { Executing } from '../db/database.ts'
import type { Room } from '../platform/directory.ts'
import { applicableShareOf } from './share-store.ts'
import { findTask, type TaskRow } from './task-store.ts'
import { findVersionById, type TaskVersionRow } from './task-version-store.ts'

/** What a run is made of, with the share that lent it (contract part 1, "Resource map and invariants"). */
export interface RunnableTaskVersion {
  task: { id: string; name: string; owner_scope: string; owner_id: string }
  version: TaskVersionRow
  shareGrantId: string
  shareGeneration: number
}

/**
 * The version a room may run: of a task shared to it, to its department or to its company, by a share that
 * still applies. Whether the caller may act in the room is decided before; a run that was queued although the task was
 * archived meanwhile is refused when it is taken from the queue. Throws `not_found` without a share, `content_scrubbed_irreversible`, `version_not_runnable`.
 */
export async function resolveRunnable(
  db: Executing,
  room: Room,
  taskVersionId: string,
): Promise<RunnableTaskVersion> {
  const version = await findVersionById(db, room.company_id, taskVersionId)
  if (!version) throw notFound()
  const task = await findTask(db, room.company_id, version.task_id)
  const share = await applicableShareOf(db, room, version.task_id)
  if (!task || !share) throw notFound()
  requireUsable(task, version)
  return {
    task: { id: task.id, name: task.name, owner_scope: task.owner_scope, owner_id: task.owner_id },
    version,
    shareGrantId: share.id,
    shareGeneration: share.generation,
  }
}

/**
 * A version that a quick run made in this room, which no share lends; undefined when it is none. Throws
 * `content_scrubbed_irreversible`, `version_not_runnable`.
 */
export async function resolveHidden(
  db: Executing,
  room: Room,
  taskVersionId: string,
): Promise<TaskVersionRow | undefined> {
  const version = await findVersionById(db, room.company_id, taskVersionId)
  if (!version) return undefined
  const task = await findTask(db, room.company_id, version.task_id)
  if (!task?.hidden || task.owner_id !== room.id) return undefined
  requireUsable(task, version)
  return version
}

function requireUsable(task: TaskRow, version: TaskVersionRow): void {
  if (version.content_state === 'scrubbed') throw new CodedError('content_scrubbed_irreversible')
  const usable = version.state === 'published' && task.state === 'active' && task.security_state === 'clear'
  if (!usable) throw new CodedError('version_not_runnable')
}

export { validateInput } from './validate-input.ts'
