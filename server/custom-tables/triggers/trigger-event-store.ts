import type { TriggerEventStatus } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import { countUpTo } from '../../db/count-up-to.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { CustomTableTriggerEventsTable } from '../../db/tables/custom-tables.ts'
import { type CompanySchedule, dueFairly } from '../../fairness/company-schedule-statement.ts'

export type TriggerEventRow = Selectable<CustomTableTriggerEventsTable>

type NewTriggerEvent = Pick<
  Insertable<CustomTableTriggerEventsTable>,
  'id' | 'company_id' | 'trigger_id' | 'row_id' | 'row_version' | 'event' | 'chain'
>

/** Writes the table `custom_table_trigger_events`. Events of one row, with its values. */
export const insertWaiting = (
  trx: Trx,
  events: readonly NewTriggerEvent[],
  { values, byte_size }: { values: Record<string, unknown>; byte_size: number },
): Promise<unknown> =>
  trx
    .insertInto('custom_table_trigger_events')
    .values(events.map((event) => ({ ...event, values: JSON.stringify(values), byte_size })))
    .execute()

/** Events that start no run. */
export const insertRefused = (
  trx: Trx,
  events: readonly NewTriggerEvent[],
  error_code: string,
): Promise<unknown> =>
  trx
    .insertInto('custom_table_trigger_events')
    .values(
      events.map((event) => ({
        ...event,
        values: null,
        byte_size: 0,
        outcome: 'refused' as const,
        error_code,
        handled_at: sql<Date>`now()`,
      })),
    )
    .execute()

/** Waiting events of a company, counted up to `limit`. */
export const countWaitingEvents = (db: Executing, companyId: string, limit: number): Promise<number> =>
  countUpTo(
    db,
    sql`select from custom_table_trigger_events where company_id = ${companyId} and outcome is null`,
    limit,
  )

/** The place in its chain of a run that an event started; 0 for any other run. */
export async function chainOfRun(db: Executing, companyId: string, runId: string): Promise<number> {
  const found = await db
    .selectFrom('custom_table_trigger_events')
    .select('chain')
    .where('company_id', '=', companyId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return found?.chain ?? 0
}

export type WaitingEvent = Omit<TriggerEventRow, 'values'> & { values: Record<string, unknown> }

/** The oldest waiting events of the next companies that have some, and the same number of each. */
export async function listWaitingEvents(db: Executing, turns: CompanySchedule): Promise<WaitingEvent[]> {
  const due = dueFairly(
    {
      table: 'custom_table_trigger_events',
      key: 'id',
      oldest: 'place',
      waits: sql`outcome is null`,
      lock: sql``,
    },
    turns,
  )
  const { rows } = await sql<WaitingEvent>`${acrossCompanies('row events of all companies')}
    with recursive ${due}
    select e.* from due join custom_table_trigger_events e on e.id = due.id and e.outcome is null
    order by e.company_id, e.place
  `.execute(db)
  return rows
}

type EventKey = Pick<TriggerEventRow, 'id' | 'company_id'>

/**
 * Keeps the event for this transaction; false if it has an outcome. The statement does not ask for that: the index of waiting events
 * would apply, and all those of the company would be read.
 */
export async function lockWaitingEvent(trx: Trx, { id, company_id }: EventKey): Promise<boolean> {
  const row = await trx
    .selectFrom('custom_table_trigger_events')
    .select('outcome')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row?.outcome === null
}

export type EventOutcome = { outcome: 'started'; run_id: string } | { outcome: 'refused'; error_code: string }

/** Records the outcome of a locked event; its values are no longer needed. */
export const recordOutcome = (
  trx: Trx,
  { id, company_id }: EventKey,
  outcome: EventOutcome,
): Promise<unknown> =>
  trx
    .updateTable('custom_table_trigger_events')
    .set({ ...outcome, values: null, byte_size: 0, handled_at: sql`now()` })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .execute()

/** Refuses every waiting event of all companies; returns them. */
export async function refuseWaitingEvents(
  trx: Trx,
  error_code: string,
): Promise<Pick<TriggerEventRow, 'company_id' | 'trigger_id'>[]> {
  const { rows } = await sql<
    Pick<TriggerEventRow, 'company_id' | 'trigger_id'>
  >`${acrossCompanies('the operator restores events of all companies')}
    update custom_table_trigger_events
    set outcome = 'refused', error_code = ${error_code}, "values" = null, byte_size = 0, handled_at = now()
    where outcome is null returning company_id, trigger_id
  `.execute(trx)
  return rows
}

export interface EventListFilter {
  companyId: string
  triggerId: string
  status: TriggerEventStatus | undefined
  /** Place of the last event of the previous page. */
  before: number | undefined
  limit: number
}

/** Newest first. */
export function listEventRows(db: Executing, filter: EventListFilter): Promise<TriggerEventRow[]> {
  let query = db
    .selectFrom('custom_table_trigger_events')
    .selectAll()
    .where('company_id', '=', filter.companyId)
    .where('trigger_id', '=', filter.triggerId)
  if (filter.status === 'waiting') query = query.where('outcome', 'is', null)
  else if (filter.status) query = query.where('outcome', '=', filter.status)
  if (filter.before !== undefined) query = query.where('place', '<', filter.before)
  return query.orderBy('place', 'desc').limit(filter.limit).execute()
}

/** Removes events that were handled before that time and whose run has ended; returns the number of rows. */
export async function dropHandledEvents(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from custom_table_trigger_events where id in (
      select e.id from custom_table_trigger_events e
      where e.outcome is not null and e.handled_at < ${before} and not exists (
        select from runs run where run.id = e.run_id and run.company_id = e.company_id and run.terminal_at is null
      )
      order by e.handled_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
