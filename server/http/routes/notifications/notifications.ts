import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import {
  type CentreDeps,
  listNotifications,
  readNotification,
} from '../../../notifications/notification-centre.ts'
import type { Mount } from '../../mount.ts'

/** The notification centre (contract part 3, D5). */
export function mountNotificationRoutes(mount: Mount, services: CentreDeps): void {
  mount(allRoutes.listNotifications, ({ principal, query }) => listNotifications(services, principal, query))
  mount(allRoutes.readNotification, ({ principal, params }) =>
    readNotification(services, principal, params.nid),
  )
}
