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
import { sweepEnvironments } from '../../environments/retention/environment-sweep.ts'
import { sweepContexts } from '../../environments/uploads/sweep-contexts.ts'
import { remindOfDeadlines } from '../../findings/reminder-store.ts'
import { sweepFindings } from '../../findings/sweep-findings.ts'
import { dropLiveLogs } from '../../live-logs/live-log-store.ts'
import { sweepMails } from '../../notifications/mail/mail-preferences.ts'
import { sweepNotifications } from '../../notifications/notification-centre.ts'
import { sweepDeliveries } from '../../notifications/webhooks/deliveries.ts'
import { dropOldRecords } from '../../operations/kubernetes/sandbox-records-store.ts'
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
import { sweepTaskUploads } from '../../tasks/files/upload-sweep.ts'
import { forgetOldFailures } from '../../work/removal.ts'
import { inBatches, type Sweep, type SweepOptions, startSweep } from '../../work/sweep.ts'

const minuteMs = 60_000
const recordsPerBatch = 1000

interface RetentionDeps extends Omit<ImageSweepDeps, 'imageUses'> {
  remediationDays: RemediationDays
  executor: ImageSweepDeps['executor'] & Pick<PlatformPort, 'builder'>
}

/** Sweeps that delete data after its retention time, and sweeps that maintain totals and lists. */
export function startRetentionLoops(deps: RetentionDeps): Sweep {
  const { log } = deps
  const imageUses = { byTask: imageUseByTaskOrDoor, byRun: imageUseByRun }
  const every = (everyMs: number, name: string, runOnce: SweepOptions['runOnce']) =>
    startSweep({ name, everyMs, runOnce, log })
  const sweeps = [
    every(minuteMs, 'environments', () => sweepEnvironments(deps)),
    every(minuteMs, 'task uploads', () => sweepTaskUploads(deps)),
    // With their batch sizes these sweeps outpace what a machine can accept: 200 runs and 1600 keys a second.
    every(10_000, 'run content', () => sweepRunContent(deps)),
    every(60 * minuteMs, 'expiring content', () => sweepExpiring(deps)),
    every(minuteMs, 'input files', () => sweepInputFiles(deps)),
    every(minuteMs, 'sessions', () => sweepSessions(deps)),
    every(minuteMs, 'idempotency keys', () => sweepIdempotencyKeys(deps)),
    every(minuteMs, 'secret operations', () => sweepSecretOperations(deps)),
    every(10_000, 'next versions', sweepNextVersions(deps)),
    every(minuteMs, 'callbacks', () => sweepCallbacks(deps)),
    every(minuteMs, 'trigger events', () => sweepTriggerEvents(deps)),
    every(10_000, 'run counts', () => foldRunCounts(deps)),
    // Each claim and each submission reads the changes that are not folded yet.
    every(1000, 'live runs', () => foldLiveRuns(deps)),
    every(10 * minuteMs, 'recount of live runs', async () => ({
      corrected: (await recountLiveRuns(deps.db)).length,
    })),
    // Each submission sums the changes that are not folded yet.
    every(2000, 'kept bytes', foldKept(deps)),
    every(2000, 'budgets', foldBudgets(deps)),
    every(10_000, 'usage', foldUsage(deps)),
    every(60 * minuteMs, 'removal failures', () => forgetOldFailures(deps.db, deps.clock.now())),
    every(minuteMs, 'sandbox records', async () => ({
      dropped: await inBatches(recordsPerBatch, (limit) => dropOldRecords(deps.db, limit)),
    })),
    every(minuteMs, 'live logs', () => dropLiveLogs(deps.db)),
    every(minuteMs, 'expired links', () => dropExpiredLinks(deps.db)),
    every(minuteMs, 'state events', () => sweepStateEvents(deps)),
    every(minuteMs, 'state watches', () => dropStateWatches(deps.db)),
    every(minuteMs, 'login attempts', () => dropFullBuckets(deps.db)),
    every(minuteMs, 'sign-ins', () => dropExpiredSignIns(deps.db, deps.clock.now())),
    every(minuteMs, 'oauth grants', () => dropExpiredGrants(deps.db, deps.clock.now())),
    every(minuteMs, 'messages', () => sweepMessages(deps)),
    every(minuteMs, 'notifications', () => sweepNotifications(deps)),
    every(minuteMs, 'webhook deliveries', () => sweepDeliveries(deps)),
    every(minuteMs, 'mails', () => sweepMails(deps)),
    every(minuteMs, 'proposals', () => sweepProposals(deps)),
    every(minuteMs, 'findings', () => sweepFindings(deps)),
    every(60 * minuteMs, 'remediation deadlines', () =>
      remindOfDeadlines({ ...deps, days: deps.remediationDays }),
    ),
    every(10 * minuteMs, 'scan reports', () => sweepReports(deps)),
    every(10 * minuteMs, 'archives', () => sweepContexts(deps)),
    every(10 * minuteMs, 'build logs', () => sweepBuildLogs(deps)),
    every(10 * minuteMs, 'build cache', () => sweepBuildCache(deps)),
    every(10_000, 'base images', () => publishBaseImages(deps)),
    every(10 * minuteMs, 'pulled images', () => sweepPulledImages(deps)),
    every(10 * minuteMs, 'images', () => sweepImages({ ...deps, imageUses })),
  ]
  return { stop: async () => void (await Promise.all(sweeps.map((sweep) => sweep.stop()))) }
}
