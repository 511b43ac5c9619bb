import type { PlatformPort } from '../../../agent/port/platform.ts'
import { dropFullBuckets } from '../../access/login/login-attempt-store.ts'
import { dropExpiredGrants } from '../../access/oauth/grant-store.ts'
import { dropExpiredSignIns } from '../../access/sign-ins/sign-in-store.ts'
import { sweepProposals } from '../../agents/proposals/own-proposals.ts'
import { sweepMessages } from '../../agents/turns/messages.ts'
import type { RemediationDays } from '../../base/config/finding-settings.ts'
import { foldBudgets } from '../../billing/budgets/company-budget.ts'
import { foldUsage } from '../../billing/usage/usage-store.ts'
import { publishBaseImages } from '../../builds/bases/base-images.ts'
import { type ImageSweepDeps, sweepImages } from '../../builds/provisioning/sweep-images.ts'
import { sweepBuildCache, sweepBuildLogs, sweepPulledImages, sweepReports } from '../../builds/retention.ts'
import { foldKept } from '../../companies/storage/storage-quota.ts'
import { sweepCallbacks } from '../../custom-tables/callbacks/callback-credentials.ts'
import { sweepTriggerEvents } from '../../custom-tables/triggers/row-events.ts'
import { imageUseByTaskOrDoor } from '../../doors/catalogue/door-runtime-store.ts'
import { sweepContexts } from '../../environments/uploads/sweep-contexts.ts'
import { remindOfDeadlines } from '../../findings/reminder-store.ts'
import { sweepFindings } from '../../findings/sweep-findings.ts'
import { dropLiveLogs } from '../../live-logs/live-log-store.ts'
import { sweepMails } from '../../notifications/mail/mail-preferences.ts'
import { sweepNotifications } from '../../notifications/notification-centre.ts'
import { sweepDeliveries } from '../../notifications/webhooks/deliveries.ts'
import { foldRunCounts } from '../../runs/history/fold-counts.ts'
import { dropExpiredLinks } from '../../runs/links/signed-link-store.ts'
import { sweepInputFiles } from '../../runs/parts/files/sweep-input-files.ts'
import { foldLiveRuns, recountLiveRuns } from '../../runs/queue/live-run-store.ts'
import { imageUseByRun } from '../../runs/retention/image-use-statement.ts'
import { sweepExpiring, sweepIdempotencyKeys, sweepRunContent } from '../../runs/retention/run-retention.ts'
import { sweepNextVersions, sweepSecretOperations } from '../../secrets/sweeps.ts'
import { sweepSessions } from '../../sessions/trees/remove-unused.ts'
import { dropStateWatches } from '../../state-watch/state-watch-store.ts'
import { sweepStateEvents } from '../../state-watch/sweep-state-events.ts'
import { forgetOldFailures } from '../../work/removal.ts'
import { type Sweep, startSweep } from '../../work/sweep.ts'

const minuteMs = 60_000

interface RetentionDeps extends Omit<ImageSweepDeps, 'imageUses'> {
  remediationDays: RemediationDays
  executor: ImageSweepDeps['executor'] & Pick<PlatformPort, 'builder'>
}

/** Sweeps that delete data after its retention time, and sweeps that maintain totals and lists. */
export function startRetentionLoops(deps: RetentionDeps): Sweep {
  const { log } = deps
  const imageUses = { byTask: imageUseByTaskOrDoor, byRun: imageUseByRun }
  const sweeps = [
    // With their batch sizes these sweeps outpace what a machine can accept: 200 runs and 1600 keys a second.
    startSweep({ name: 'run content', everyMs: 10_000, runOnce: () => sweepRunContent(deps), log }),
    startSweep({ name: 'expiring content', everyMs: 60 * minuteMs, runOnce: () => sweepExpiring(deps), log }),
    startSweep({ name: 'input files', everyMs: minuteMs, runOnce: () => sweepInputFiles(deps), log }),
    startSweep({ name: 'sessions', everyMs: minuteMs, runOnce: () => sweepSessions(deps), log }),
    startSweep({
      name: 'idempotency keys',
      everyMs: minuteMs,
      runOnce: () => sweepIdempotencyKeys(deps),
      log,
    }),
    startSweep({
      name: 'secret operations',
      everyMs: minuteMs,
      runOnce: () => sweepSecretOperations(deps),
      log,
    }),
    startSweep({ name: 'next versions', everyMs: 10_000, runOnce: sweepNextVersions(deps), log }),
    startSweep({ name: 'callbacks', everyMs: minuteMs, runOnce: () => sweepCallbacks(deps), log }),
    startSweep({ name: 'trigger events', everyMs: minuteMs, runOnce: () => sweepTriggerEvents(deps), log }),
    startSweep({ name: 'run counts', everyMs: 10_000, runOnce: () => foldRunCounts(deps), log }),
    // Each claim and each submission reads the changes that are not folded yet.
    startSweep({ name: 'live runs', everyMs: 1000, runOnce: () => foldLiveRuns(deps), log }),
    startSweep({
      name: 'recount of live runs',
      everyMs: 10 * minuteMs,
      runOnce: async () => ({ corrected: (await recountLiveRuns(deps.db)).length }),
      log,
    }),
    // Each submission sums the changes that are not folded yet.
    startSweep({ name: 'kept bytes', everyMs: 2000, runOnce: foldKept(deps), log }),
    startSweep({ name: 'budgets', everyMs: 2000, runOnce: foldBudgets(deps), log }),
    startSweep({ name: 'usage', everyMs: 10_000, runOnce: foldUsage(deps), log }),
    startSweep({
      name: 'removal failures',
      everyMs: 60 * minuteMs,
      runOnce: () => forgetOldFailures(deps.db, deps.clock.now()),
      log,
    }),
    startSweep({ name: 'live logs', everyMs: minuteMs, runOnce: () => dropLiveLogs(deps.db), log }),
    startSweep({ name: 'expired links', everyMs: minuteMs, runOnce: () => dropExpiredLinks(deps.db), log }),
    startSweep({ name: 'state events', everyMs: minuteMs, runOnce: () => sweepStateEvents(deps), log }),
    startSweep({ name: 'state watches', everyMs: minuteMs, runOnce: () => dropStateWatches(deps.db), log }),
    startSweep({ name: 'login attempts', everyMs: minuteMs, runOnce: () => dropFullBuckets(deps.db), log }),
    startSweep({
      name: 'sign-ins',
      everyMs: minuteMs,
      runOnce: () => dropExpiredSignIns(deps.db, deps.clock.now()),
      log,
    }),
    startSweep({
      name: 'oauth grants',
      everyMs: minuteMs,
      runOnce: () => dropExpiredGrants(deps.db, deps.clock.now()),
      log,
    }),
    startSweep({ name: 'messages', everyMs: minuteMs, runOnce: () => sweepMessages(deps), log }),
    startSweep({ name: 'notifications', everyMs: minuteMs, runOnce: () => sweepNotifications(deps), log }),
    startSweep({ name: 'webhook deliveries', everyMs: minuteMs, runOnce: () => sweepDeliveries(deps), log }),
    startSweep({ name: 'mails', everyMs: minuteMs, runOnce: () => sweepMails(deps), log }),
    startSweep({ name: 'proposals', everyMs: minuteMs, runOnce: () => sweepProposals(deps), log }),
    startSweep({ name: 'findings', everyMs: minuteMs, runOnce: () => sweepFindings(deps), log }),
    startSweep({
      name: 'remediation deadlines',
      everyMs: 60 * minuteMs,
      runOnce: () => remindOfDeadlines({ ...deps, days: deps.remediationDays }),
      log,
    }),
    startSweep({ name: 'scan reports', everyMs: 10 * minuteMs, runOnce: () => sweepReports(deps), log }),
    startSweep({ name: 'archives', everyMs: 10 * minuteMs, runOnce: () => sweepContexts(deps), log }),
    startSweep({ name: 'build logs', everyMs: 10 * minuteMs, runOnce: () => sweepBuildLogs(deps), log }),
    startSweep({ name: 'build cache', everyMs: 10 * minuteMs, runOnce: () => sweepBuildCache(deps), log }),
    startSweep({ name: 'base images', everyMs: 10_000, runOnce: () => publishBaseImages(deps), log }),
    startSweep({
      name: 'pulled images',
      everyMs: 10 * minuteMs,
      runOnce: () => sweepPulledImages(deps),
      log,
    }),
    startSweep({
      name: 'images',
      everyMs: 10 * minuteMs,
      runOnce: () => sweepImages({ ...deps, imageUses }),
      log,
    }),
  ]
  return { stop: async () => void (await Promise.all(sweeps.map((sweep) => sweep.stop()))) }
}
