import type { Directory } from '../../access/directory/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import { reachableBy } from '../../base/guarded-requests/reachable-addresses.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { SettingsContext } from '../../companies/settings/settings-service.ts'
import type { Database } from '../../db/database.ts'
import type { Mount } from '../../http/mount.ts'
import { mountAuditRoutes, mountSettingsRoutes } from '../../http/routes/companies/settings.ts'
import { mountNotificationRoutes, mountWebhookRoutes } from '../../http/routes/notifications.ts'
import { auditReading } from '../../operations/audit/read-audit.ts'
import { imageUseByRun } from '../../runs/retention/image-use-statement.ts'
import type { WrappingKeys } from '../../secrets/keys/wrapping-keys.ts'
import { imageUseByTask, namesOfUsingTasks } from '../../tasks/versions/image-use-statement.ts'

/** Routes by which a company sets and sees itself: settings, storage, usage and its audit log. */
export function mountSettings(
  mount: Mount,
  { pages, ...context }: SettingsContext & { pages: PageTokens },
): void {
  const versionUses = { byTask: imageUseByTask, byRun: imageUseByRun, taskNames: namesOfUsingTasks }
  mountSettingsRoutes(mount, { ...context, versionUses })
  mountAuditRoutes(mount, auditReading(context.db, pages))
}

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
