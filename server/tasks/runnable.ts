import type { Selectable } from 'kysely'
import { CodedError, notFound } from '../base/coded-error.ts'
import type { Executing } from '../db/database.ts'
import type { TaskVersionsTable } from '../db/tables/tasks.ts'
import type { Room } from '../platform/directory.ts'
import { applicableShareOf } from './share-store.ts'
import { holdTask } from './task-store.ts'
import { findVersionById } from './task-version-store.ts'

/** What a run is made of, with the share that lent it (contract part 1, "Resource map and invariants"). */
export interface RunnableTaskVersion {
  task: { id: string; name: string; owner_scope: string; owner_id: string }
  version: Selectable<TaskVersionsTable>
  shareGrantId: string
  shareGeneration: number
}

/**
 * The version a room may run: of a task shared to it, to its department or to its company, by a share that
 * still applies. Whether the caller may act in the room is decided before. Called in the transaction that queues
 * a run, it holds off the archiving of the task until then, which so finds every queued run to cancel.
 * Throws `not_found` without a share, `content_scrubbed_irreversible`, `version_not_runnable`.
 */
export async function resolveRunnable(
  db: Executing,
  room: Room,
  taskVersionId: string,
): Promise<RunnableTaskVersion> {
  const version = await findVersionById(db, room.company_id, taskVersionId)
  if (!version) throw notFound()
  const task = await holdTask(db, room.company_id, version.task_id)
  const share = await applicableShareOf(db, room, version.task_id)
  if (!task || !share) throw notFound()
  if (version.content_state === 'scrubbed') throw new CodedError('content_scrubbed_irreversible')
  const usable = version.state === 'published' && task.state === 'active' && task.security_state === 'clear'
  if (!usable) throw new CodedError('version_not_runnable')
  return {
    task: { id: task.id, name: task.name, owner_scope: task.owner_scope, owner_id: task.owner_id },
    version,
    shareGrantId: share.id,
    shareGeneration: share.generation,
  }
}

export { validateInput } from './validate-input.ts'
