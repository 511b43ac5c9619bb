import type { Directory } from '../access/directory/directory.ts'
import type { Principal } from '../access/principal.ts'
import type { RepeatedWrites } from '../access/repeated-writes.ts'
import type { Clock } from '../base/clock.ts'
import type { Keys } from '../base/keys/keys.ts'
import type { Log } from '../base/logging.ts'
import type { PageTokens } from '../base/page.ts'
import type { Database } from '../db/database.ts'
import type { WrappingKeys } from './keys/wrapping-keys.ts'

/** A task as far as secrets are concerned. */
export interface SecretTask {
  id: string
  state: string
  owner_scope: string
  owner_id: string
}

/** A version that may be approved. */
export interface ApprovableVersion {
  id: string
  state: string
  content_state: string
  canonical_digest: string
}

/** Tasks and versions that the caller may see; both throw `not_found`. Given from outside, because tasks show what slots have. */
export interface TaskLookup {
  task(principal: Principal, taskId: string): Promise<SecretTask>
  version(
    principal: Principal,
    key: { taskId: string; versionId: string },
  ): Promise<{ task: SecretTask; version: ApprovableVersion }>
}

/** The dependencies of the use cases of this folder. */
export interface SecretContext {
  db: Database
  directory: Directory
  pages: PageTokens
  clock: Clock
  log: Log
  keys: Pick<Keys, 'transit' | 'secretPepper'>
  wrappingKeys: WrappingKeys
  tasks: TaskLookup
  repeats: RepeatedWrites
}
