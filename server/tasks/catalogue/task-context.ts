import type { Directory } from '../../access/directory/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { PageTokens } from '../../base/page.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { Database, Trx } from '../../db/database.ts'

/** Dependencies of the use cases of this folder. */
export interface TaskContext {
  db: Database
  directory: Directory
  pages: PageTokens
  clock: Clock
  outputs: OutputPolicyDeps
  /** Cancels the queued runs of a task. Injected, because tasks do not depend on runs. */
  cancelQueuedRunsOfTask: (trx: Trx, companyId: string, taskId: string) => Promise<void>
}
