import { catalogPageSizeDefault, notificationLifetimeDays } from '@sandbox-jobs/contract/limits.ts'
import type { ReadAllRequest, UnreadCount } from '@sandbox-jobs/contract/resources/notifications/inbox.ts'
import type {
  Notification,
  NotificationList,
} from '@sandbox-jobs/contract/resources/notifications/notification.ts'
import type { Principal } from '../access/principal.ts'
import { type Clock, dayMs } from '../base/clock.ts'
import { notFound } from '../base/errors/coded-error.ts'
import { readInstant } from '../base/errors/validation-error.ts'
import type { PageRequest, PageTokens } from '../base/page.ts'
import type { Database } from '../db/database.ts'
import { inBatches } from '../work/sweep.ts'
import {
  countUnreadOfUsers,
  deleteOldNotifications,
  listNotificationRows,
  markAllRead,
  markRead,
  type NotificationRow,
} from './notification-store.ts'

export interface CentreDeps {
  db: Database
  clock: Clock
  pages: PageTokens
}

/** The notifications of the principal, newest first (contract part 3, D5). */
export async function listNotifications(
  { db, pages }: CentreDeps,
  principal: Principal,
  query: PageRequest & { unread?: boolean | undefined },
): Promise<NotificationList> {
  const size = query.page_size ?? catalogPageSizeDefault
  const list = `notifications:${principal.principalId}:${query.unread ?? 'all'}`
  const cursor = pages.read(list, query.page_token)
  const rows = await listNotificationRows(db, ownerOf(principal), {
    unread: query.unread,
    before: cursor && Number(cursor[0]),
    limit: size + 1,
  })
  return pages.page(list, rows, size, { item: render, cursor: (row) => [row.place] })
}

/** Marks a notification as read. The statement finds only those of the principal. Throws `not_found`. */
export async function readNotification(
  { db, clock }: CentreDeps,
  principal: Principal,
  id: string,
): Promise<Notification> {
  const row = await markRead(db, { ...ownerOf(principal), id }, clock.now())
  if (!row) throw notFound()
  return render(row)
}

/** Marks all notifications of the principal up to a time as read. Throws 422 for a time that cannot be read. */
export async function readAllNotifications(
  { db, clock }: CentreDeps,
  principal: Principal,
  request: ReadAllRequest,
): Promise<UnreadCount> {
  const owner = ownerOf(principal)
  const before = readInstant(['body', 'before'], request.before)
  await markAllRead(db, { ...owner, before }, clock.now())
  const unread = await countUnreadOfUsers(db, { companyId: owner.companyId, userIds: [owner.userId] })
  return { unread: unread.get(owner.userId) ?? 0 }
}

const ownerOf = ({ companyId, principalId: userId }: Principal) => ({ companyId, userId })

const render = (row: NotificationRow): Notification => ({
  id: row.id,
  type: 'sandbox_event',
  event: row.event as Notification['event'],
  title: row.title,
  deep_link: row.deep_link,
  subject_type: row.subject_type as Notification['subject_type'],
  subject_id: row.subject_id,
  chatroom_id: row.chatroom_id,
  count: row.count,
  created_at: row.created_at.toISOString(),
  read_at: row.read_at?.toISOString() ?? null,
})

const sweepBatch = 1000

/** One round of the loop that deletes notifications after their time. */
export async function sweepNotifications({
  db,
  clock,
}: Pick<CentreDeps, 'db' | 'clock'>): Promise<{ notifications: number }> {
  const before = new Date(clock.now().getTime() - notificationLifetimeDays * dayMs)
  return { notifications: await inBatches(sweepBatch, (limit) => deleteOldNotifications(db, before, limit)) }
}
