import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import { countUpTo } from '../../db/count-up-to.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { MailDeliveriesTable } from '../../db/tables/mail.ts'
import type { DueTable } from '../../work/claim-due.ts'
import { type DueTimes, dueTimes, inMs } from '../../work/due-times-statement.ts'
import { byUserAndSource } from '../notification-store.ts'

/** Writes the table `mail_deliveries`. */

type MailRow = Selectable<MailDeliveriesTable>
export type MailLane = MailRow['lane']

/** Once for each user and source, in the order in which other processes insert the same. */
export async function insertMails(
  trx: Trx,
  rows: readonly Omit<Insertable<MailDeliveriesTable>, 'due_at' | 'give_up_at'>[],
  giveUpInMs: number,
): Promise<void> {
  if (rows.length === 0) return
  const times = { due_at: inMs(0), give_up_at: inMs(giveUpInMs) }
  await trx
    .insertInto('mail_deliveries')
    .values(rows.toSorted(byUserAndSource).map((row) => ({ ...row, ...times })))
    .onConflict((conflict) => conflict.columns(['user_id', 'source']).doNothing())
    .execute()
}

/** E-mails of a company that wait, counted up to `limit`. */
export const countWaitingMails = (trx: Trx, companyId: string, limit: number): Promise<number> =>
  countUpTo(trx, sql`select from mail_deliveries where company_id = ${companyId} and outcome is null`, limit)

/** E-mails to users of a company since a time, by user. */
export async function countMailsSince(
  trx: Trx,
  { companyId, userIds }: { companyId: string; userIds: readonly string[] },
  since: Date,
): Promise<Map<string, number>> {
  const rows = await trx
    .selectFrom('mail_deliveries')
    .select(['user_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('company_id', '=', companyId)
    .where('user_id', 'in', userIds)
    .where('created_at', '>', since)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, count }) => [user_id, count]))
}

export type ClaimedMail = Pick<
  MailRow,
  | 'id'
  | 'company_id'
  | 'user_id'
  | 'subject'
  | 'body'
  | 'lane'
  | 'attempts'
  | 'attempted_at'
  | 'created_at'
  | 'give_up_at'
>

export const dueMails: DueTable<ClaimedMail> = {
  table: 'mail_deliveries',
  columns: ['user_id', 'subject', 'body', 'lane', 'attempts', 'attempted_at', 'created_at', 'give_up_at'],
}

export const updateMail = (
  db: Executing,
  key: { companyId: string; id: string },
  { dueInMs, ...set }: Partial<Pick<MailRow, 'error' | 'lane' | 'outcome' | 'status'>> & DueTimes,
): Promise<unknown> =>
  db
    .updateTable('mail_deliveries')
    .set({ ...set, ...dueTimes({ dueInMs }) })
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .execute()

/** Deletes at most `limit` ended e-mails from before a time. */
export async function deleteOldMails(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from mail_deliveries where id in (
      select id from mail_deliveries where created_at < ${before} and outcome is not null
      order by created_at limit ${limit} for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
