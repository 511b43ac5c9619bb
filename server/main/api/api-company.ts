import type { FastifyInstance } from 'fastify'
import type { Directory } from '../../access/directory/directory.ts'
import { PendingProposals } from '../../agents/proposals/own-proposals.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import { reachableBy } from '../../base/guarded-requests/reachable-addresses.ts'
import type { Keys } from '../../base/keys/keys.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { SettingsContext } from '../../companies/settings/settings-service.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Database } from '../../db/database.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import type { Mount } from '../../http/mount.ts'
import { mountPasswordPage } from '../../http/pages/password-routes.ts'
import { mountChatroomJobsRoutes, mountPlatformRoutes } from '../../http/routes/companies/platform.ts'
import { mountAuditRoutes, mountSettingsRoutes } from '../../http/routes/companies/settings.ts'
import {
  mountEventRoutes,
  mountNotificationRoutes,
  mountWebhookRoutes,
} from '../../http/routes/notifications.ts'
import type { LogUpdates } from '../../live-logs/log-updates.ts'
import { type LiveEventDeps, LiveEvents } from '../../notifications/events/live-events.ts'
import { auditReading } from '../../operations/audit/read-audit.ts'
import { imageUseByRun } from '../../runs/retention/image-use-statement.ts'
import type { WrappingKeys } from '../../secrets/keys/wrapping-keys.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import { imageUseByTask, namesOfUsingTasks } from '../../tasks/versions/image-use-statement.ts'

/** Routes by which a company sets and sees itself: settings, storage, usage and its audit log. */
export function mountSettings(
  mount: Mount,
  { pages, downloads, ...context }: SettingsContext & { pages: PageTokens; downloads: Downloads },
): void {
  const versionUses = { byTask: imageUseByTask, byRun: imageUseByRun, taskNames: namesOfUsingTasks }
  mountSettingsRoutes(mount, { ...context, versionUses })
  mountAuditRoutes(mount, { ...auditReading(context.db, pages), downloads })
}

interface DirectoryParts {
  db: Database
  directory: Directory
  clock: Clock
  pages: PageTokens
  keys: Pick<Keys, 'peppers'>
  signed: SignedTokens
  scheduler: RequestScheduler | undefined
  /** Where people reach the service. */
  baseUrl: string
}

/** Routes of the directory, and the page on which its people choose their password. */
export function mountDirectory(app: FastifyInstance, mount: Mount, parts: DirectoryParts): void {
  const { db, directory, clock, pages: pageTokens, keys, signed, scheduler, baseUrl } = parts
  const common = { db, clock, requireStorageQuota }
  mountPlatformRoutes(mount, { ...common, directory, pageTokens, peppers: keys.peppers, signed, baseUrl })
  mountPasswordPage(app, { db, signed, scheduler })
  mountChatroomJobsRoutes(mount, { ...common, directory })
}

interface NotificationParts {
  db: Database
  directory: Directory
  clock: Clock
  log: Log
  pages: PageTokens
  wrappingKeys: WrappingKeys
  updates: LogUpdates
  service: LiveEventDeps['service']
  config: Partial<Pick<Config, 'mailServer' | 'webhookInnerRanges'>>
}

/** Routes of notifications of people and programs of customers. */
export function mountNotifications(mount: Mount, { config, ...parts }: NotificationParts): void {
  const pending = new PendingProposals(parts)
  mountNotificationRoutes(mount, { ...parts, pending, sendsMail: config.mailServer !== undefined })
  mountEventRoutes(mount, new LiveEvents(parts))
  const { webhookInnerRanges = [] } = config
  const isReachable = reachableBy(webhookInnerRanges)
  mountWebhookRoutes(mount, { ...parts, isReachable, acceptsHttp: webhookInnerRanges.length > 0 })
}
