import { type SqlBool, sql } from 'kysely'
import type { Room } from '../../access/directory/directory.ts'
import { appliesToRoom, narrowestFirst } from '../../access/share-statement.ts'
import type { Executing } from '../../db/database.ts'

export interface MenuRow {
  task_id: string
  task_name: string
  task_description: string
  owner_scope: string
  owner_id: string
  current_published_version_id: string | null
  task_version_id: string
  canonical_digest: string
  version_number: number
  input_instructions: string | null
  input_example: string | null
  input_schema: string | null
  secret_slot_declarations: unknown[] | null
  timeout_seconds: number
  requires_confirmation: boolean
  /** Whether its output policy writes to a table. */
  writes_table: boolean
  secret_slot_policies: Record<string, string> | null
}

export interface MenuFilter {
  afterTaskId: string | undefined
  limit: number
  /** Only the item that pins this version. */
  versionId?: string | undefined
  /** Only tasks with this text in their name or description, in any case. */
  text?: string | undefined
}

const writesTable = sql<boolean>`coalesce(task_versions.output_policy ->> 'kind' = 'custom_table_writeback', false)`

const mentions = (text: string) => sql<SqlBool>`(
  strpos(lower(tasks.name), lower(${text})) > 0 or strpos(lower(tasks.description), lower(${text})) > 0)`

/**
 * Tasks that are granted to the room, enabled in it and still runnable, ordered by task id. Independent of the
 * caller, so that the menu is the same for everyone. Reads bindings, tasks, versions and shares; writes nothing.
 */
export function menuOf(db: Executing, room: Room, page: MenuFilter): Promise<MenuRow[]> {
  let query = db
    .selectFrom('bindings')
    .innerJoin('tasks', 'tasks.id', 'bindings.task_id')
    .innerJoin('task_versions', 'task_versions.id', 'bindings.task_version_id')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('share_grants')
          .select('share_grants.secret_slot_policies')
          .whereRef('share_grants.task_id', '=', 'bindings.task_id')
          .where(appliesToRoom(room))
          .orderBy(narrowestFirst)
          .limit(1)
          .as('granted'),
      (join) => join.onTrue(),
    )
    .select([
      'tasks.id as task_id',
      'tasks.name as task_name',
      'tasks.description as task_description',
      'tasks.owner_scope',
      'tasks.owner_id',
      'tasks.current_published_version_id',
      'task_versions.id as task_version_id',
      'task_versions.canonical_digest',
      'task_versions.version_number',
      'task_versions.input_instructions',
      'task_versions.input_example',
      'task_versions.input_schema',
      'task_versions.secret_slot_declarations',
      'task_versions.timeout_seconds',
      'task_versions.requires_confirmation',
      writesTable.as('writes_table'),
      'granted.secret_slot_policies',
    ])
    .where('bindings.company_id', '=', room.company_id)
    .where('bindings.chatroom_id', '=', room.id)
    .where('bindings.state', '=', 'enabled')
    .where('bindings.target_authority_generation', '=', room.authority_generation)
    .where('tasks.state', '=', 'active')
    .where('tasks.security_state', '=', 'clear')
    .where('task_versions.state', '=', 'published')
    .where('task_versions.content_state', '=', 'active')
  if (page.versionId !== undefined) query = query.where('bindings.task_version_id', '=', page.versionId)
  if (page.text !== undefined) query = query.where(mentions(page.text))
  if (page.afterTaskId !== undefined) query = query.where('bindings.task_id', '>', page.afterTaskId)
  return query.orderBy('bindings.task_id').limit(page.limit).execute()
}
