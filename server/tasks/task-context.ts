import type { Clock } from '../base/clock.ts'
import type { PageTokens } from '../base/page.ts'
import type { Database, Trx } from '../db/database.ts'
import type { Directory } from '../platform/directory.ts'

/** What the use cases of this folder work with. */
export interface TaskContext {
  db: Database
  directory: Directory
  pages: PageTokens
  clock: Clock
  /** Ends the runs of a task that have not started; given from outside, because tasks do not know runs. */
  cancelQueuedRunsOfTask: (trx: Trx, companyId: string, taskId: string) => Promise<void>
}
