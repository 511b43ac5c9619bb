import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import type { PageTokens } from '../base/page.ts'
import type { LogFollowers } from '../live-logs/log-followers.ts'
import type { StateWatchers } from '../state-watch/state-watchers.ts'
import type { Downloads } from '../storage/downloads/downloads.ts'
import type { ObjectStorage } from '../storage/port.ts'
import type { FindRunDeps } from './lookup/readable-run.ts'
import type { QueuePolicy } from './queue/queue-policy.ts'

/** The dependencies of requests that read runs, their files and their results. */
export interface RunServices extends FindRunDeps {
  policy: QueuePolicy
  pages: PageTokens
  storage: ObjectStorage
  downloads: Downloads
  followers: LogFollowers
  watchers: StateWatchers
  clock: Clock
  log: Log
}
