import { Type } from 'typebox'
import { about } from '../about.ts'
import { NotificationId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { Notification, NotificationList } from '../resources/notifications/notification.ts'
import { Strict } from '../schema.ts'
import { route } from './route.ts'

const notifications = '/private/notifications'
const own = { tag: 'Notifications' } as const

/** The notifications of the caller (contract part 2, "Events"; part 3, D5). */
export const notificationRoutes = {
  listNotifications: route({
    ...own,
    action: 'notification.list',
    method: 'GET',
    path: notifications,
    summary: 'List the notifications of the caller, newest first',
    description:
      'The newest 1,000 of the last 90 days. A run notifies its submitter; builds, findings and images notify the managers of the owner of the environment. They do not replace polling.',
    query: Type.Object({
      ...pageFields(catalogPageSizeDefault),
      unread: about(
        'Only those that are not read, or only those that are.',
        Type.Optional(Type.Boolean()),
        true,
      ),
    }),
    response: NotificationList,
    errors: [],
  }),
  readNotification: route({
    ...own,
    action: 'notification.mark',
    method: 'POST',
    path: `${notifications}/{nid}/read`,
    summary: 'Mark a notification as read',
    description: 'Repeating it changes nothing.',
    params: Strict({ nid: NotificationId }),
    response: Notification,
    errors: ['not_found'],
  }),
}
