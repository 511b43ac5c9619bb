import type { CapacityPort } from '../../../agent/port/capacity.ts'
import type { Directory } from '../../access/directory/directory.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import { reachableBy, resolveName } from '../../base/guarded-requests/reachable-addresses.ts'
import type { Log } from '../../base/logging.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { Database } from '../../db/database.ts'
import { announceRuns } from '../../notifications/announce-runs.ts'
import { MailSender } from '../../notifications/mail/mail-sender.ts'
import { queueMail } from '../../notifications/mail/queue-mail.ts'
import { configuredMailServer } from '../../notifications/mail/smtp.ts'
import { Notifier, startNotifier } from '../../notifications/notifier.ts'
import { queueDeliveries } from '../../notifications/webhooks/queue-deliveries.ts'
import { WebhookSender } from '../../notifications/webhooks/webhook-sender.ts'
import { followKillSwitch } from '../../operations/kill-switch/follow-kill-switch.ts'
import type { QueuePolicy } from '../../runs/queue/queue-policy.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import { postgresTriggerEvents, startTriggeredRuns } from '../../runs/triggers/start-triggered-runs.ts'
import { startSchedules } from '../../schedules/ticks/start-schedules.ts'
import { configuredKeys } from '../../secrets/keys/configured-keys.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { inputChecker, Runnables } from '../../tasks/menu/runnable.ts'
import type { ExecutorLease } from '../../work/executor-lease.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'

const webhookTimeoutMs = 10_000

/** The loops that notify people, and programs of customers. */
export function startNotifications({
  db,
  log,
  config,
  worker,
}: {
  db: Database
  log: Log
  config: Config
  worker: string
}): {
  stop(): Promise<void>
} {
  const clock = systemClock
  const server = configuredMailServer(config)
  const mailSinks = server ? [queueMail({ clock, origin: config })] : []
  const mail = server && new MailSender({ db, clock, log, worker, server }).attempts.start()
  // Announcements lock rooms, in which people wait to post, until the round is written: they are last.
  const sinks = [queueDeliveries, ...mailSinks, announceRuns]
  const notifier = startNotifier(new Notifier(db, sinks), log)
  const isReachable = reachableBy(config.webhookInnerRanges)
  const webhooks = new WebhookSender({
    db,
    clock,
    log,
    worker,
    keys: configuredKeys(config, 'worker'),
    post: { isReachable, resolve: resolveName, timeoutMs: webhookTimeoutMs },
  }).attempts.start()
  return {
    stop: async () => {
      await Promise.all([notifier.stop(), webhooks.stop(), mail?.stop()])
    },
  }
}

interface StartedRunsParts {
  db: Database
  directory: Directory
  policy: QueuePolicy
  outputs: OutputPolicyDeps
  storage: Pick<ObjectStorage, 'hasSpace'>
  /** The setting `SANDBOX_ENABLED`. */
  enabled: boolean
  clock: Clock
  log: Log
}

/** The loops that start runs for which nobody asks: of changed rows, and of schedules. */
export async function startUnattendedRuns({
  storage,
  enabled,
  clock,
  log,
  ...parts
}: StartedRunsParts): Promise<Pick<Ticker, 'stop'>[]> {
  const killSwitch = await followKillSwitch({ db: parts.db, enabled, log })
  const mayStart = async () => killSwitch.isEnabled() && storage.hasSpace()
  const submit = {
    ...parts,
    queue: new SubmissionQueue(parts.db, parts.policy),
    runnables: new Runnables(parts.db),
    validateInput: inputChecker(parts.db),
  }
  return [
    killSwitch,
    startTriggeredRuns({ events: postgresTriggerEvents(submit), mayStart, clock, log }),
    startSchedules({ ...submit, mayStart, clock, log }),
  ]
}

const presenceEveryMs = 5000

/** The loop that records that the host agent answers. The API may not reach the agent; its readiness check reads the record. */
export const startAgentPresence = ({
  executor,
  lease,
  log,
}: {
  executor: CapacityPort
  lease: Pick<ExecutorLease, 'recordAgentSeen'>
  log: Log
}): Ticker =>
  startTicker({
    name: 'host agent',
    tick: async () => {
      const answers = await executor.capacity().then(
        () => true,
        () => false,
      )
      if (answers) await lease.recordAgentSeen()
    },
    intervalMs: presenceEveryMs,
    log,
  })
