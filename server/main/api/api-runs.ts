import type { Keys } from '../../base/keys/keys.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import type { Mount } from '../../http/mount.ts'
import { mountInputFileRoutes } from '../../http/routes/runs/input-files.ts'
import { mountPublicDownloadRoute, mountPublicLinkRoutes } from '../../http/routes/runs/public-links.ts'
import { mountResultRoutes, mountRunLogRoutes } from '../../http/routes/runs/results.ts'
import { mountExtendedRunRoutes, mountRunRoutes } from '../../http/routes/runs/runs.ts'
import { mountScheduleRoutes } from '../../http/routes/runs/schedules.ts'
import { mountSessionRoutes } from '../../http/routes/runs/sessions.ts'
import { mountSignedLinkRoutes } from '../../http/routes/runs/signed-links.ts'
import { RunSnapshots } from '../../runs/read/run-snapshots.ts'
import type { RunServices } from '../../runs/run-services.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import type { SessionServices } from '../../sessions/session-services.ts'
import { inputChecker, Runnables } from '../../tasks/menu/runnable.ts'

/** Parts that the routes of runs share with those of other areas. */
interface RunParts extends RunServices, SessionServices {
  keys: Keys
  outputs: OutputPolicyDeps
  scheduler: RequestScheduler
  baseUrl: string
}

/** Runs, their results and the links to these. */
export function mountRuns(mount: Mount, { keys, scheduler, baseUrl, ...parts }: RunParts): void {
  const { db, policy } = parts
  const services = {
    ...parts,
    runnables: new Runnables(db),
    queue: new SubmissionQueue(db, policy),
    validateInput: inputChecker(db),
    readings: new RunSnapshots(db),
    capabilityKeys: keys.derive('download-capability'),
  }
  mountRunRoutes(mount, services)
  mountExtendedRunRoutes(mount, services)
  mountInputFileRoutes(mount, services)
  mountSessionRoutes(mount, services)
  mountScheduleRoutes(mount, services)
  mountResultRoutes(mount, services)
  const linking = {
    ...services,
    publicLinkKeys: keys.derive('public-link'),
    linkKeys: keys.links,
    deployment: keys.deployment,
    baseUrl,
    scheduler,
  }
  mountPublicLinkRoutes(mount, linking)
  mountSignedLinkRoutes(mount, linking)
  mountRunLogRoutes(mount, services)
  mountPublicDownloadRoute(mount, { ...services, scheduler })
}
