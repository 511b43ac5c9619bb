import type { Deployment } from '@sandbox-jobs/contract/resources/region.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/version-isolation.ts'
import type { Log } from '../base/logging.ts'
import type { PageTokens } from '../base/page.ts'
import type { Database, Trx } from '../db/database.ts'
import type { ObjectStorage } from '../storage/port.ts'

/** What the use cases of environments, uploads, versions and builds work with; made once in `main`. */
export interface EnvironmentContext {
  db: Database
  log: Log
  pageTokens: PageTokens
  storage: ObjectStorage
  /** `keys.derive('upload-capability')`. */
  uploadCapabilityKey: Buffer
  /** Decides the regions a build may name. */
  deployment: Deployment
  /** What the deployment has between runs and the host's kernel, weakest first. */
  isolations: readonly Isolation[]
  /** Ends the builds of an environment that wait, in the transaction that archives it. */
  endWaitingBuilds: (trx: Trx, environment: { id: string; company_id: string | null }) => Promise<void>
  /** Departments of a company, to check an owner that is about to be written. */
  departments: { department(companyId: string, id: string): Promise<{ id: string } | undefined> }
}
