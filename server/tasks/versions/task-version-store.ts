import { taskVersionMachine } from '@sandbox-jobs/contract/states/catalog-states.ts'
import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { TaskVersionsTable } from '../../db/tables/tasks.ts'
import { recordCreated, transition, transitionAll } from '../../db/transition.ts'

export type TaskVersionRow = Selectable<TaskVersionsTable>

export interface VersionKey {
  companyId: string
  taskId: string
  id: string
}

/** Writes the table `task_versions`. */
export async function insertVersion(
  trx: Trx,
  version: Insertable<TaskVersionsTable>,
): Promise<TaskVersionRow> {
  const row = await trx.insertInto('task_versions').values(version).returningAll().executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: taskVersionMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

export const findVersionById = (
  db: Executing,
  companyId: string,
  id: string,
): Promise<TaskVersionRow | undefined> =>
  db
    .selectFrom('task_versions')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()

/** The example of a version's input; undefined without one. */
export async function findInputExample(
  db: Executing,
  companyId: string,
  id: string,
): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('task_versions')
    .select('input_example')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.input_example
}

const byKey = (db: Executing, key: VersionKey) =>
  db
    .selectFrom('task_versions')
    .selectAll()
    .where('company_id', '=', key.companyId)
    .where('task_id', '=', key.taskId)
    .where('id', '=', key.id)

export const findVersion = (db: Executing, key: VersionKey): Promise<TaskVersionRow | undefined> =>
  byKey(db, key).executeTakeFirst()

/** Locks the row until the transaction ends, so that checks of its state stay valid. */
export const lockVersion = (trx: Trx, key: VersionKey): Promise<TaskVersionRow | undefined> =>
  byKey(trx, key).forUpdate().executeTakeFirst()

/** Call it while the task is locked, so that concurrent drafts get different numbers. */
export async function nextVersionNumber(trx: Trx, companyId: string, taskId: string): Promise<number> {
  const { last } = await trx
    .selectFrom('task_versions')
    .select((eb) => eb.fn.max('version_number').as('last'))
    .where('company_id', '=', companyId)
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow()
  return (last ?? 0) + 1
}

/** Changes a draft; undefined if the version is no longer a draft. */
export const updateDraft = (
  trx: Trx,
  version: Pick<TaskVersionRow, 'id' | 'company_id'>,
  set: Updateable<TaskVersionsTable>,
): Promise<TaskVersionRow | undefined> =>
  trx
    .updateTable('task_versions')
    .set(set)
    .where('id', '=', version.id)
    .where('company_id', '=', version.company_id)
    .where('state', '=', 'draft')
    .returningAll()
    .executeTakeFirst()

export async function moveVersion(
  trx: Trx,
  { companyId, id }: Pick<VersionKey, 'companyId' | 'id'>,
  move: { to: 'published' | 'archived'; set: Record<string, unknown> },
): Promise<boolean> {
  const left = await transition(trx, {
    table: 'task_versions',
    machine: taskVersionMachine,
    id,
    companyId,
    to: move.to,
    set: move.set,
  })
  return left !== undefined
}

/** Archives all versions of a task, however many, in one statement. */
export const archiveVersionsOf = (
  trx: Trx,
  task: { id: string; company_id: string },
  archived_at: Date,
): Promise<void> =>
  transitionAll(
    trx,
    { table: 'task_versions', machine: taskVersionMachine, to: 'archived', set: { archived_at } },
    { companyId: task.company_id, where: sql<SqlBool>`task_id = ${task.id}` },
  )

/** The latest published version of the task and its latest draft. */
export async function latestVersionIds(
  trx: Trx,
  companyId: string,
  taskId: string,
): Promise<{ published: string | null; draft: string | null }> {
  const latest = (state: string, order: 'published_at' | 'version_number') =>
    trx
      .selectFrom('task_versions')
      .select('id')
      .where('company_id', '=', companyId)
      .where('task_id', '=', taskId)
      .where('state', '=', state)
      .orderBy(order, 'desc')
      .orderBy('version_number', 'desc')
      .limit(1)
      .executeTakeFirst()
  const published = await latest('published', 'published_at')
  const draft = await latest('draft', 'version_number')
  return { published: published?.id ?? null, draft: draft?.id ?? null }
}

export interface VersionListFilter {
  companyId: string
  taskId: string
  /** Undefined: every state. */
  states: readonly string[] | undefined
  /** Borrowers see only versions that were published at some time. */
  oncePublishedOnly: boolean
  afterId: string | undefined
  limit: number
}

export interface ListedVersion {
  id: string
  /** Total bytes of its texts. */
  bytes: number
}

const textBytes = sql<number>`(
  octet_length(startup_script) + octet_length(work_script) + coalesce(octet_length(work_command), 0)
  + coalesce(octet_length(input_instructions), 0) + coalesce(octet_length(input_example), 0)
  + coalesce(octet_length(input_schema), 0) + coalesce(octet_length(ordinary_env::text), 0)
)`

/** Versions in list order, without their content. */
export function listVersions(db: Executing, filter: VersionListFilter): Promise<ListedVersion[]> {
  let query = db
    .selectFrom('task_versions')
    .select(['id', textBytes.as('bytes')])
    .where('company_id', '=', filter.companyId)
    .where('task_id', '=', filter.taskId)
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.oncePublishedOnly) query = query.where('published_at', 'is not', null)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  return query.orderBy('id').limit(filter.limit).execute()
}

/** In list order. */
export async function findVersions(
  db: Executing,
  companyId: string,
  ids: readonly string[],
): Promise<TaskVersionRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('task_versions')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}
