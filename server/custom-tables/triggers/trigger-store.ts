import { tableTriggerMachine } from '@sandbox-jobs/contract/states/custom-table-states.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { CustomTableTriggersTable } from '../../db/tables/custom-tables.ts'
import { recordCreated, transition } from '../../db/transition.ts'

export type TriggerRow = Selectable<CustomTableTriggersTable>

/** Writes the table `custom_table_triggers`. */
export async function insertTrigger(
  trx: Trx,
  trigger: Insertable<CustomTableTriggersTable>,
): Promise<TriggerRow> {
  const row = await trx
    .insertInto('custom_table_triggers')
    .values(trigger)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: tableTriggerMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

const triggerOf = (db: Executing, companyId: string, id: string) =>
  db.selectFrom('custom_table_triggers').selectAll().where('company_id', '=', companyId).where('id', '=', id)

export const findTrigger = (db: Executing, companyId: string, id: string): Promise<TriggerRow | undefined> =>
  triggerOf(db, companyId, id).executeTakeFirst()

/** For a transaction that has locked the trigger's table. */
export const lockTrigger = (trx: Trx, companyId: string, id: string): Promise<TriggerRow | undefined> =>
  triggerOf(trx, companyId, id).forNoKeyUpdate().executeTakeFirst()

interface TableKey {
  company_id: string
  id: string
}

/** The active triggers of a table for that kind of event, or for any. */
export async function activeTriggerIds(
  db: Executing,
  { company_id, id }: TableKey,
  event?: TriggerRow['events'][number],
): Promise<string[]> {
  let query = db
    .selectFrom('custom_table_triggers')
    .select('id')
    .where('company_id', '=', company_id)
    .where('table_id', '=', id)
    .where('state', '=', 'active')
  if (event) query = query.where(sql<boolean>`${event} = any(events)`)
  return (await query.orderBy('id').execute()).map((row) => row.id)
}

export type TriggerContent = Pick<
  Insertable<CustomTableTriggersTable>,
  | 'name'
  | 'description'
  | 'events'
  | 'chatroom_id'
  | 'task_version_id'
  | 'input_template'
  | 'timeout_seconds'
  | 'run_as'
>

/** Changes a locked trigger. */
export const changeTrigger = (trx: Trx, trigger: TriggerRow, set: TriggerContent): Promise<TriggerRow> =>
  trx
    .updateTable('custom_table_triggers')
    .set(set)
    .where('company_id', '=', trigger.company_id)
    .where('id', '=', trigger.id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Records why an event of the triggers started no run. */
export const recordRefusal = (
  trx: Trx,
  { companyId, ids }: { companyId: string; ids: readonly string[] },
  code: string,
): Promise<unknown> =>
  trx
    .updateTable('custom_table_triggers')
    .set({ last_error_code: code, last_refused_at: sql`now()` })
    .where('company_id', '=', companyId)
    .where('id', 'in', ids)
    .execute()

export const archiveTriggerRow = (trx: Trx, trigger: TriggerRow, archivedAt: Date) =>
  transition(trx, {
    table: 'custom_table_triggers',
    machine: tableTriggerMachine,
    id: trigger.id,
    companyId: trigger.company_id,
    to: 'archived',
    set: { archived_at: archivedAt },
  })

export interface TriggerListFilter {
  companyId: string
  tableId: string
  states: readonly TriggerRow['state'][] | undefined
  afterId: string | undefined
  limit: number
}

/** In the order of their ids. */
export function listTriggerRows(db: Executing, filter: TriggerListFilter): Promise<TriggerRow[]> {
  let query = db
    .selectFrom('custom_table_triggers')
    .selectAll()
    .where('company_id', '=', filter.companyId)
    .where('table_id', '=', filter.tableId)
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  return query.orderBy('id').limit(filter.limit).execute()
}
