import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { ReadLastBuilds } from './last-builds.ts'

/** Dependencies of the use cases of environments, uploads, versions and builds. Created once in `main`. */
export interface EnvironmentContext {
  db: Database
  log: Log
  pageTokens: PageTokens
  storage: ObjectStorage
  /** `keys.derive('upload-capability')`. */
  uploadCapabilityKey: Buffer
  /** Determines the regions that a build may name. */
  deployment: Deployment
  /** Isolation levels that the deployment offers, weakest first. */
  isolations: readonly Isolation[]
  /** Cancels the queued builds of an environment, in the transaction that archives it. */
  endWaitingBuilds: (trx: Trx, environment: { id: string; company_id: string | null }) => Promise<void>
  /** Reads the latest build attempts of versions, to show them with the versions. */
  readLastBuilds: ReadLastBuilds
  /** Looks up departments of a company, to validate a new owner. */
  departments: { department(companyId: string, id: string): Promise<{ id: string } | undefined> }
}
