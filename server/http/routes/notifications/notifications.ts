import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Directory } from '../../../access/directory/directory.ts'
import { listMessages } from '../../../agents/turns/messages.ts'
import {
  readRoomNotifications,
  updateRoomNotifications,
} from '../../../companies/chatrooms/room-announcements.ts'
import {
  type MailPreferenceDeps,
  readMailPreferences,
  updateMailPreferences,
} from '../../../notifications/mail/mail-preferences.ts'
import {
  type CentreDeps,
  listNotifications,
  readNotification,
} from '../../../notifications/notification-centre.ts'
import type { Mount } from '../../mount.ts'

/** The notification centre (contract part 3, D5), and messages in rooms. */
export function mountNotificationRoutes(
  mount: Mount,
  services: CentreDeps & MailPreferenceDeps & { directory: Directory },
): void {
  mount(allRoutes.listNotifications, ({ principal, query }) => listNotifications(services, principal, query))
  mount(allRoutes.readMailPreferences, ({ principal }) => readMailPreferences(services, principal))
  mount(allRoutes.updateMailPreferences, ({ principal, body }) =>
    updateMailPreferences(services, principal, body),
  )
  mount(allRoutes.listRoomMessages, ({ principal, params, query }) =>
    listMessages(services, principal, params.cid, query),
  )
  mount(allRoutes.readRoomNotifications, ({ principal, params }) =>
    readRoomNotifications(services, principal, params.cid),
  )
  mount(allRoutes.updateRoomNotifications, ({ principal, params, body }) =>
    updateRoomNotifications(services, principal, params.cid, body),
  )
  mount(allRoutes.readNotification, ({ principal, params }) =>
    readNotification(services, principal, params.nid),
  )
}
