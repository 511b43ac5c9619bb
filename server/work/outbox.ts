import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { EventOutboxTable } from '../db/tables/notifications.ts'
import { type CompanySchedule, dueFairly } from '../fairness/company-schedule-statement.ts'

/**
 * The transactional outbox: an event is written in the transaction of what happened, and deleted in the transaction that
 * handles it. Most events are written by triggers on `state_events` (`server/db/schema/notifications.sql`).
 */

export type OutboxEvent = Pick<
  Selectable<EventOutboxTable>,
  'id' | 'company_id' | 'event' | 'subject_id' | 'count' | 'at'
>

/** An event that is no change of state. */
export interface NewEvent {
  companyId: string
  event: string
  subjectId: string
  count?: number
}

export async function recordEvents(db: Executing, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await db
    .insertInto('event_outbox')
    .values(
      events.map(({ companyId: company_id, event, subjectId: subject_id, count = 1 }) => ({
        company_id,
        event,
        subject_id,
        count,
      })),
    )
    .execute()
}

/** The same event for each company of the deployment. */
export async function recordForEveryCompany(
  trx: Trx,
  { event, subjectId }: Pick<NewEvent, 'event' | 'subjectId'>,
): Promise<void> {
  await sql`${acrossCompanies('an event of the deployment')}
    insert into event_outbox (company_id, event, subject_id) select id, ${event}, ${subjectId} from companies
  `.execute(trx)
}

/**
 * Takes the oldest events of the next companies that have some, and the same number of each. Events that another transaction
 * takes are left out.
 */
export async function takeEvents(trx: Trx, turns: CompanySchedule): Promise<OutboxEvent[]> {
  const due = dueFairly(
    { table: 'event_outbox', key: 'id', waits: sql`true`, lock: sql`for update skip locked` },
    turns,
  )
  const { rows } = await sql<OutboxEvent>`${acrossCompanies('the outbox of all companies')}
    with recursive ${due}
    delete from event_outbox where id = any(array(select id from due))
    returning id, company_id, event, subject_id, count, at
  `.execute(trx)
  return rows.toSorted((a, b) => a.id - b.id)
}
