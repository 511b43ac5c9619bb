import { systemClock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import { reachableBy, resolveName } from '../../base/guarded-requests/reachable-addresses.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { announceRuns } from '../../notifications/announce-runs.ts'
import { MailSender } from '../../notifications/mail/mail-sender.ts'
import { queueMail } from '../../notifications/mail/queue-mail.ts'
import { configuredMailServer } from '../../notifications/mail/smtp.ts'
import { Notifier, startNotifier } from '../../notifications/notifier.ts'
import { queueDeliveries } from '../../notifications/webhooks/queue-deliveries.ts'
import { WebhookSender } from '../../notifications/webhooks/webhook-sender.ts'
import { configuredKeys } from '../../secrets/keys/configured-keys.ts'

const webhookTimeoutMs = 10_000

/** The loops that notify people, and programs of customers. */
export function startNotifications({ db, log, config }: { db: Database; log: Log; config: Config }): {
  stop(): Promise<void>
} {
  const clock = systemClock
  const server = configuredMailServer(config)
  const mailSinks = server ? [queueMail({ clock, origin: config })] : []
  const mail = server && new MailSender({ db, clock, log, server }).attempts.start()
  // Announcements lock rooms, in which people wait to post, until the round is written: they are last.
  const sinks = [queueDeliveries({ clock }), ...mailSinks, announceRuns]
  const notifier = startNotifier(new Notifier(db, sinks), log)
  const isReachable = reachableBy(config.webhookInnerRanges)
  const webhooks = new WebhookSender({
    db,
    clock,
    log,
    keys: configuredKeys(config, 'worker'),
    post: { isReachable, resolve: resolveName, timeoutMs: webhookTimeoutMs },
  }).attempts.start()
  return {
    stop: async () => {
      await Promise.all([notifier.stop(), webhooks.stop(), mail?.stop()])
    },
  }
}
