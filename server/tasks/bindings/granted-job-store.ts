import { sql } from 'kysely'
import type { Room } from '../../access/directory/directory.ts'
import { appliesToRoom, narrowestFirst } from '../../access/share-statement.ts'
import type { Executing } from '../../db/database.ts'
import { hasNewerVersion } from './binding-store.ts'

/** A task with the share that grants it to a room and the room's enabled binding, read together. */
export interface GrantRow {
  task_id: string
  task_name: string
  task_description: string
  owner_scope: string
  owner_id: string
  current_published_version_id: string | null
  secret_slot_policies: Record<string, string> | null
  binding_id: string | null
  pinned_task_version_id: string | null
  has_newer_version: boolean
  /** Of the pinned version, or else of the current published one. */
  secret_slot_declarations: unknown[] | null
}

/** Selects one granted task by id, or a page after an id. */
export type GrantFilter = { taskId: string } | { afterId: string | undefined; limit: number }

/**
 * The active tasks that an applicable share grants to the room, in the order of their ids. Reads tasks, shares,
 * bindings and versions in one statement; writes nothing.
 */
export function grantedTasks(db: Executing, room: Room, only: GrantFilter): Promise<GrantRow[]> {
  let query = db
    .with('grants', (cte) =>
      cte
        .selectFrom('share_grants')
        .distinctOn('task_id')
        .select(['task_id', 'secret_slot_policies'])
        .where(appliesToRoom(room))
        .orderBy('task_id')
        .orderBy(narrowestFirst),
    )
    .selectFrom('grants')
    .innerJoin('tasks', 'tasks.id', 'grants.task_id')
    .leftJoin('bindings', (join) =>
      join
        .onRef('bindings.task_id', '=', 'tasks.id')
        .on('bindings.chatroom_id', '=', room.id)
        .on('bindings.state', '=', 'enabled')
        .on('bindings.target_authority_generation', '=', room.authority_generation),
    )
    .leftJoin('task_versions', (join) =>
      join.on(
        sql<boolean>`task_versions.id = coalesce(bindings.task_version_id, tasks.current_published_version_id)`,
      ),
    )
    .select([
      'tasks.id as task_id',
      'tasks.name as task_name',
      'tasks.description as task_description',
      'tasks.owner_scope',
      'tasks.owner_id',
      'tasks.current_published_version_id',
      'grants.secret_slot_policies',
      'bindings.id as binding_id',
      'bindings.task_version_id as pinned_task_version_id',
      hasNewerVersion.as('has_newer_version'),
      'task_versions.secret_slot_declarations',
    ])
    .where('tasks.company_id', '=', room.company_id)
    .where('tasks.state', '=', 'active')
  if ('taskId' in only) return query.where('tasks.id', '=', only.taskId).execute()
  if (only.afterId !== undefined) query = query.where('tasks.id', '>', only.afterId)
  return query.orderBy('tasks.id').limit(only.limit).execute()
}
