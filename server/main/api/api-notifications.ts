import type { Directory } from '../../access/directory/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import { reachableBy } from '../../base/guarded-requests/reachable-addresses.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { Database } from '../../db/database.ts'
import type { Mount } from '../../http/mount.ts'
import { mountNotificationRoutes, mountWebhookRoutes } from '../../http/routes/notifications.ts'
import type { WrappingKeys } from '../../secrets/keys/wrapping-keys.ts'

interface NotificationParts {
  db: Database
  directory: Directory
  clock: Clock
  log: Log
  pages: PageTokens
  wrappingKeys: WrappingKeys
  config: Partial<Pick<Config, 'mailServer' | 'webhookInnerRanges'>>
}

/** Routes of notifications of people and programs of customers. */
export function mountNotifications(mount: Mount, { config, ...parts }: NotificationParts): void {
  mountNotificationRoutes(mount, { ...parts, sendsMail: config.mailServer !== undefined })
  const { webhookInnerRanges = [] } = config
  const isReachable = reachableBy(webhookInnerRanges)
  mountWebhookRoutes(mount, { ...parts, isReachable, acceptsHttp: webhookInnerRanges.length > 0 })
}
