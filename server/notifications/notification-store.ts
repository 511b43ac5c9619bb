import { type Selectable, sql } from 'kysely'
import { newId } from '../base/ids.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { NotificationsTable } from '../db/tables/notifications.ts'
import type { AddressedNotice } from './compose-notices.ts'

/** Writes the table `notifications`. */

export type NotificationRow = Selectable<NotificationsTable>

/** A statement has at most 65,535 parameters; each column of a row is one. */
const rowsOfStatement = 1000

/**
 * Stores a notice for each of its users, once for each source. Several processes may add to the same daily notices, so each goes
 * through them in the order of their keys: in any other order two would wait for each other.
 */
export async function insertNotifications(trx: Trx, addressed: readonly AddressedNotice[]): Promise<void> {
  const once = addressed.filter(({ notice }) => !notice.isDaily).flatMap(rowsOf)
  for (let start = 0; start < once.length; start += rowsOfStatement) {
    await trx
      .insertInto('notifications')
      .values(once.slice(start, start + rowsOfStatement))
      .onConflict((conflict) => conflict.columns(['user_id', 'source']).doNothing())
      .execute()
  }
  const daily = addressed.filter(({ notice }) => notice.isDaily).flatMap(rowsOf)
  for (const row of daily.toSorted(byUserAndSource)) {
    await trx
      .insertInto('notifications')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'source'])
          .doUpdateSet({ count: sql`notifications.count + excluded.count` })
          .where('notifications.company_id', '=', row.company_id),
      )
      .execute()
  }
}

/** The order in which rows that other processes may insert too are inserted. */
export function byUserAndSource(
  a: { user_id: string; source: string },
  b: { user_id: string; source: string },
): number {
  if (a.user_id !== b.user_id) return a.user_id < b.user_id ? -1 : 1
  return a.source === b.source ? 0 : a.source < b.source ? -1 : 1
}

const rowsOf = ({ notice, userIds }: AddressedNotice) =>
  userIds.map((user_id) => ({
    id: newId('notification'),
    company_id: notice.companyId,
    user_id,
    source: notice.source,
    event: notice.event,
    title: notice.title,
    deep_link: notice.deepLink,
    subject_type: notice.subjectType,
    subject_id: notice.subjectId,
    chatroom_id: notice.chatroomId,
    count: notice.count,
    created_at: notice.at,
    read_at: null,
  }))

/**
 * Deletes the oldest notifications of the users, beyond the newest `keep` of each. The bound of each is found once: joined
 * directly, the planner looks for it again for each notification of the user. Those that another transaction changes are left to
 * the next time: to wait for them might be to wait in a circle.
 */
export async function deleteBeyond(trx: Trx, userIds: readonly string[], keep: number): Promise<void> {
  await sql`${acrossCompanies('the bound of each recipient')}
    with first_deleted as materialized (
      select u.id as user_id, beyond.place from unnest(${userIds}::text[]) as u (id) cross join lateral (
        select place from notifications where user_id = u.id order by place desc offset ${keep} limit 1
      ) beyond
    ), beyond as (
      select n.id from first_deleted first join notifications n on n.user_id = first.user_id and n.place <= first.place
      for update of n skip locked
    )
    delete from notifications where id = any(array(select id from beyond))
  `.execute(trx)
}

export async function listNotificationRows(
  db: Executing,
  of: { companyId: string; userId: string },
  list: { unread: boolean | undefined; before: number | undefined; limit: number },
): Promise<NotificationRow[]> {
  let query = db
    .selectFrom('notifications')
    .selectAll()
    .where('user_id', '=', of.userId)
    .where('company_id', '=', of.companyId)
    .orderBy('place', 'desc')
    .limit(list.limit)
  if (list.unread !== undefined) query = query.where('read_at', list.unread ? 'is' : 'is not', null)
  if (list.before !== undefined) query = query.where('place', '<', list.before)
  return query.execute()
}

/** How many notifications each of these users has not read; a user has a bounded number. */
export async function countUnreadOfUsers(
  db: Executing,
  { companyId, userIds }: { companyId: string; userIds: readonly string[] },
): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('notifications')
    .select(['user_id', ({ fn }) => fn.countAll<number>().as('unread')])
    .where('user_id', 'in', userIds)
    .where('company_id', '=', companyId)
    .where('read_at', 'is', null)
    .groupBy('user_id')
    .execute()
  const counts = new Map(rows.map(({ user_id, unread }) => [user_id, unread]))
  return new Map(userIds.map((id) => [id, counts.get(id) ?? 0]))
}

/** Marks a notification as read; the first time counts. Undefined where the user has no such notification. */
export const markRead = (
  db: Executing,
  of: { companyId: string; userId: string; id: string },
  now: Date,
): Promise<NotificationRow | undefined> =>
  db
    .updateTable('notifications')
    .set({ read_at: sql`coalesce(read_at, ${now})` })
    .where('id', '=', of.id)
    .where('user_id', '=', of.userId)
    .where('company_id', '=', of.companyId)
    .returningAll()
    .executeTakeFirst()

/** Marks what a user has not read up to a time as read; a user has a bounded number. */
export async function markAllRead(
  db: Executing,
  { companyId, userId, before }: { companyId: string; userId: string; before: Date },
  now: Date,
): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ read_at: now })
    .where('user_id', '=', userId)
    .where('company_id', '=', companyId)
    .where('read_at', 'is', null)
    // Answers show times in milliseconds.
    .where(sql<Date>`date_trunc('milliseconds', created_at)`, '<=', before)
    .execute()
}

/** Deletes at most `limit` notifications from before a time, oldest first. */
export async function deleteOldNotifications(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from notifications where id in (
      select id from notifications where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
