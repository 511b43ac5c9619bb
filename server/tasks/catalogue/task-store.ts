import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import { taskMachine } from '@sandbox-jobs/contract/states/catalog-states.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import { type Reach, reaches } from '../../access/share-statement.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { TasksTable } from '../../db/tables/tasks.ts'
import { recordCreated, transition } from '../../db/transition.ts'

export type TaskRow = Selectable<TasksTable>

/** Writes the table `tasks`. */
export async function insertTask(trx: Trx, task: Insertable<TasksTable>): Promise<TaskRow> {
  const row = await trx.insertInto('tasks').values(task).returningAll().executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: taskMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

export const findTask = (db: Executing, companyId: string, id: string): Promise<TaskRow | undefined> =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Names by id. */
export async function findTaskNames(
  db: Executing,
  companyId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Locks the row until the transaction ends, so that its state cannot change meanwhile. */
export const lockTask = (trx: Trx, companyId: string, id: string): Promise<TaskRow | undefined> =>
  trx
    .selectFrom('tasks')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Changes fields other than the state of an active task. Returns undefined if it is no longer active. */
export const updateActiveTask = (
  db: Executing,
  key: { companyId: string; id: string },
  set: Partial<Pick<TaskRow, 'name' | 'description' | 'agent_enabled'>>,
): Promise<TaskRow | undefined> =>
  db
    .updateTable('tasks')
    .set(set)
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .where('state', '=', 'active')
    .returningAll()
    .executeTakeFirst()

/** Returns false if the task does not exist. */
export async function setAllowList(
  db: Executing,
  task: Pick<TaskRow, 'id' | 'company_id'>,
  allowList: EgressAllowList | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ egress_allow_list: allowList })
    .where('id', '=', task.id)
    .where('company_id', '=', task.company_id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const setCurrentVersions = (
  trx: Trx,
  task: Pick<TaskRow, 'id' | 'company_id'>,
  set: Partial<Pick<TaskRow, 'current_published_version_id' | 'current_draft_version_id'>>,
): Promise<unknown> =>
  trx
    .updateTable('tasks')
    .set(set)
    .where('id', '=', task.id)
    .where('company_id', '=', task.company_id)
    .execute()

/** Returns false if the task was already archived. */
export async function archiveTaskRow(trx: Trx, companyId: string, id: string): Promise<boolean> {
  const left = await transition(trx, { table: 'tasks', machine: taskMachine, id, companyId, to: 'archived' })
  return left !== undefined
}

export interface TaskListFilter {
  companyId: string
  /** Undefined: every state. */
  states: readonly string[] | undefined
  /** Restricts the list to tasks of these departments and tasks reached by a share. Undefined: all. */
  seenBy: { departmentIds: readonly string[]; reach: Reach } | undefined
  afterId: string | undefined
  limit: number
}

/** Tasks of a company in the order of their creation, without those of quick runs. */
export function listTasks(db: Executing, filter: TaskListFilter): Promise<TaskRow[]> {
  let query = db.selectFrom('tasks').selectAll().where('company_id', '=', filter.companyId)
  query = query.where(sql<boolean>`not hidden`)
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  const { seenBy } = filter
  if (seenBy) {
    query = query.where((eb) =>
      eb.or([
        sql<boolean>`tasks.owner_scope = 'department' and tasks.owner_id = any(${seenBy.departmentIds})`,
        eb.exists(
          eb
            .selectFrom('share_grants')
            .select('share_grants.id')
            .whereRef('share_grants.task_id', '=', 'tasks.id')
            .where(reaches(seenBy.reach)),
        ),
      ]),
    )
  }
  return query.orderBy('id').limit(filter.limit).execute()
}
