import type { Directory } from '../../access/directory/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { Keys } from '../../base/keys/keys.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { Database } from '../../db/database.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import type { SerialByKey } from '../../fairness/serial-by-key.ts'
import type { Mount } from '../../http/mount.ts'
import { mountInputFileRoutes } from '../../http/routes/runs/input-files.ts'
import { mountPublicDownloadRoute, mountPublicLinkRoutes } from '../../http/routes/runs/public-links.ts'
import { mountResultRoutes, mountRunLogRoutes } from '../../http/routes/runs/results.ts'
import { mountExtendedRunRoutes, mountRunRoutes } from '../../http/routes/runs/runs.ts'
import { mountSessionRoutes } from '../../http/routes/runs/sessions.ts'
import { mountSignedLinkRoutes } from '../../http/routes/runs/signed-links.ts'
import type { LogFollowers } from '../../live-logs/log-followers.ts'
import type { RunLookup } from '../../runs/lookup/run-lookup.ts'
import type { QueuePolicy } from '../../runs/queue/queue-policy.ts'
import { RunSnapshots } from '../../runs/read/run-snapshots.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import type { SessionSizes } from '../../sessions/session-services.ts'
import type { StateWatchers } from '../../state-watch/state-watchers.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { inputChecker, Runnables } from '../../tasks/menu/runnable.ts'

/** Parts that the routes of runs share with those of other areas. */
interface RunParts {
  db: Database
  storage: ObjectStorage
  downloads: Downloads
  keys: Keys
  clock: Clock
  directory: Directory
  pages: PageTokens
  policy: QueuePolicy
  runs: RunLookup
  outputs: OutputPolicyDeps
  followers: LogFollowers
  watchers: StateWatchers
  scheduler: RequestScheduler
  log: Log
  baseUrl: string
  sessionSizes: SessionSizes
  changeTurns: SerialByKey
}

/** Runs, their results and the links to these. */
export function mountRuns(mount: Mount, { keys, followers, scheduler, baseUrl, ...parts }: RunParts): void {
  const { db, policy } = parts
  const services = {
    ...parts,
    runnables: new Runnables(db),
    queue: new SubmissionQueue(db, policy),
    validateInput: inputChecker(db),
    readings: new RunSnapshots(db),
    capabilityKey: keys.derive('download-capability'),
  }
  mountRunRoutes(mount, services)
  mountExtendedRunRoutes(mount, services)
  mountInputFileRoutes(mount, services)
  mountSessionRoutes(mount, services)
  mountResultRoutes(mount, services)
  const linking = {
    ...services,
    linkKey: keys.derive('public-link'),
    linkKeys: keys.links,
    deployment: keys.deployment,
    baseUrl,
    scheduler,
  }
  mountPublicLinkRoutes(mount, linking)
  mountSignedLinkRoutes(mount, linking)
  mountRunLogRoutes(mount, { ...services, followers })
  mountPublicDownloadRoute(mount, { ...services, scheduler })
}
