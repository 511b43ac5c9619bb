import type { Directory } from '../../access/directory/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { Database } from '../../db/database.ts'
import type { QueuePolicy } from '../../runs/queue/queue-policy.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import { postgresTriggerEvents, startTriggeredRuns } from '../../runs/triggers/start-triggered-runs.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { inputChecker, Runnables } from '../../tasks/menu/runnable.ts'
import type { Ticker } from '../../work/ticker.ts'

interface TriggerParts {
  db: Database
  directory: Directory
  policy: QueuePolicy
  outputs: OutputPolicyDeps
  storage: Pick<ObjectStorage, 'hasSpace'>
  clock: Clock
  log: Log
}

/** The loop that starts the runs of changed rows. */
export const startTriggers = ({ storage, clock, log, ...parts }: TriggerParts): Ticker =>
  startTriggeredRuns({
    events: postgresTriggerEvents({
      ...parts,
      queue: new SubmissionQueue(parts.db, parts.policy),
      runnables: new Runnables(parts.db),
      validateInput: inputChecker(parts.db),
    }),
    hasSpace: () => storage.hasSpace(),
    clock,
    log,
  })
