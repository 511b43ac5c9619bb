import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { RepeatedWrites } from '../../access/repeated-writes.ts'
import type { MacKeys } from '../../base/keys/rotated-key.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'

/** Dependencies of the use cases of environments, uploads, versions and builds. Created once in `main`. */
export interface EnvironmentContext {
  db: Database
  log: Log
  pageTokens: PageTokens
  storage: ObjectStorage
  repeats: RepeatedWrites
  /** `keys.derive('upload-capability')`. */
  uploadCapabilityKeys: MacKeys
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

/** Fields of a version's latest build attempt that the version shows. */
export interface LastAttempt {
  id: string
  state: string
  stage_code: string
  stage_since: Date
  terminal_at: Date | null
  error_code: string
  error_detail: string
}

export interface LastBuild {
  attempt: LastAttempt
  /** Mean duration of the company's last completed builds. Null if there are none, or if the attempt has ended. */
  expectedSeconds: number | null
}

/**
 * Builds by the id of their attempt, `environment_versions.last_build_attempt_id`. Builds implement it: environments read no
 * table of theirs. Read the versions first: a version that is final then has an attempt that is final.
 */
export type ReadLastBuilds = (
  db: Executing,
  companyId: string,
  attemptIds: readonly string[],
) => Promise<ReadonlyMap<string, LastBuild>>
