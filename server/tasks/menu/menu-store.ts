import { expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Room } from '../../access/directory/directory.ts'
import {
  appliesToRoom,
  narrowestFirst,
  type RoomTerms,
  roomInStatement,
} from '../../access/share-statement.ts'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'
import type { Tables } from '../../db/tables.ts'

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
  /** Rows behind these bytes of texts are not read. */
  maxBytes: number
  /** Only tasks with this text in their name or description, in any case. */
  text?: string | undefined
}

const writesTable = sql<boolean>`coalesce(task_versions.output_policy ->> 'kind' = 'custom_table_writeback', false)`

const mentions = (text: string) => sql<SqlBool>`(
  strpos(lower(tasks.name), lower(${text})) > 0 or strpos(lower(tasks.description), lower(${text})) > 0)`

/** Tasks that are granted to a room, enabled in it and still runnable. Independent of the caller. */
const offeredIn = (room: RoomTerms) =>
  expressionBuilder<Tables>()
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
    .orderBy('bindings.task_id')

const textBytes = sql<number>`(
  coalesce(octet_length(input_instructions), 0) + coalesce(octet_length(input_example), 0)
  + coalesce(octet_length(input_schema), 0)
)`

/**
 * The menu of a room, ordered by task id, up to the first row that does not fit; two rows at least, so that it is known whether one
 * is the last. Reads bindings, tasks, versions and shares; writes nothing.
 */
export async function menuOf(db: Executing, room: Room, page: MenuFilter): Promise<MenuRow[]> {
  let query = offeredIn(room).limit(page.limit)
  if (page.text !== undefined) query = query.where(mentions(page.text))
  if (page.afterTaskId !== undefined) query = query.where('bindings.task_id', '>', page.afterTaskId)
  const statement = sql<MenuRow>`
    select * from (
      select *, sum(${textBytes}) over menu - ${textBytes} as bytes_before, row_number() over menu as ordinal
      from ${query} offered window menu as (order by task_id)
    ) placed
    where bytes_before <= ${page.maxBytes} or ordinal <= 2 order by task_id`
  return (await statement.execute(db)).rows
}

/** The item of a task in the menu of a room; undefined if it is not on it. */
export async function findOffered(db: Executing, room: Room, taskId: string): Promise<MenuRow | undefined> {
  const query = offeredIn(room).where('bindings.task_id', '=', taskId)
  return (await sql<MenuRow>`${query}`.execute(db)).rows[0]
}

/** A version in the menu of a room. */
export interface MenuLookup {
  room: Room
  versionId: string
}

/** Of the statement below, which names each requested row `room`. */
const itemOf = offeredIn(roomInStatement)
  .where('bindings.task_version_id', '=', sql.ref<string>('room.version_id'))
  .limit(sql.lit(1))

const requestedItems = prepared<
  {
    ids: string[]
    companyIds: string[]
    departmentIds: string[]
    generations: number[]
    versionIds: string[]
  },
  MenuRow & { ordinal: number }
>(
  ({ ids, companyIds, departmentIds, generations, versionIds }) => sql`
    select room.ordinal, item.*
    from unnest(
      ${arrayParam(ids, 'text')}, ${arrayParam(companyIds, 'text')}, ${arrayParam(departmentIds, 'text')},
      ${generations}::int[], ${arrayParam(versionIds, 'text')}
    ) with ordinality as room (id, company_id, department_id, authority_generation, version_id, ordinal)
    cross join lateral ${itemOf} item
  `,
)

/** The item that pins each version in the menu of its room, in the order of the request; undefined if there is none. */
export async function findMenuItems(
  db: Executing,
  requested: readonly MenuLookup[],
): Promise<(MenuRow | undefined)[]> {
  const rows = await requestedItems(db, {
    ids: requested.map(({ room }) => room.id),
    companyIds: requested.map(({ room }) => room.company_id),
    departmentIds: requested.map(({ room }) => room.department_id),
    generations: requested.map(({ room }) => room.authority_generation),
    versionIds: requested.map(({ versionId }) => versionId),
  })
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]))
  return requested.map((_, at) => byOrdinal.get(at + 1))
}
