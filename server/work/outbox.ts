import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { EventOutboxTable } from '../db/tables/notifications.ts'

/**
 * The transactional outbox: an event is written in the transaction of what happened, and deleted in the transaction that
 * handles it. Most events are written by triggers on `state_events` (`server/db/migrations/0163-notifications.sql`).
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

export interface OutboxShare {
  /** Companies after this one in the order of their ids; the last served one of the previous round. */
  afterCompany: string
  companies: number
  perCompany: number
}

/**
 * Takes the oldest events of the next companies that have some, and the same number of each, so that a company with many
 * delays no other. Events that another transaction takes are left out. The cost depends on what is taken, not on what waits.
 */
export async function takeEvents(
  trx: Trx,
  { afterCompany, companies, perCompany }: OutboxShare,
): Promise<OutboxEvent[]> {
  const { rows } = await sql<OutboxEvent>`${acrossCompanies('the outbox of all companies')}
    with recursive waiting as (
      (select company_id, 1 as turn from event_outbox where company_id > ${afterCompany} order by company_id limit 1)
      union all
      select (
        select o.company_id from event_outbox o where o.company_id > w.company_id order by o.company_id limit 1
      ), w.turn + 1
      from waiting w where w.company_id is not null and w.turn < ${companies}
    ), due as (
      select o.id from waiting w cross join lateral (
        select id from event_outbox where company_id = w.company_id order by id limit ${perCompany} for update skip locked
      ) o
    )
    delete from event_outbox where id = any(array(select id from due))
    returning id, company_id, event, subject_id, count, at
  `.execute(trx)
  return rows.toSorted((a, b) => a.id - b.id)
}
