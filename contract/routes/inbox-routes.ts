import { inboxItemsMax } from '../limits.ts'
import { Inbox, ReadAllRequest, UnreadCount } from '../resources/notifications/inbox.ts'
import { notifications } from './notification-routes.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const own = { tag: 'Notifications', errors: [] } as const

/** Decisions that wait for the caller. */
export const inboxRoutes = {
  readInbox: route({
    ...own,
    action: 'inbox.read',
    method: 'GET',
    path: `${extensionPrefix}/inbox`,
    summary: 'Read what waits for a decision of the caller',
    description: `Computed as it is now, at most ${inboxItemsMax} items: jobs that an agent proposed to the caller; for managers, enabled jobs of their rooms that lack a secret or an approval, or have a newer version; for administrators, webhooks that were paused. followEvents says with \`inbox\` when to read it again.`,
    response: Inbox,
  }),
  readAllNotifications: route({
    ...own,
    action: 'notification.mark_all',
    method: 'POST',
    path: `${notifications}/read-all`,
    summary: 'Mark all notifications up to a time as read',
    description:
      'The time is that of the newest notification that was on the screen, so that none is marked that nobody saw.',
    body: ReadAllRequest,
    response: UnreadCount,
  }),
}
