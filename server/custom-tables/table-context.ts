import type { Directory } from '../access/directory/directory.ts'
import type { Principal } from '../access/principal.ts'
import type { Clock } from '../base/clock.ts'
import type { PageTokens } from '../base/page.ts'
import type { Database, Trx } from '../db/database.ts'
import type { TableQueries } from './rows/table-queries.ts'

export interface RepeatIntent {
  principal: Principal
  route: string
  key: string
  /** All fields of the request except key and credentials. */
  request: Record<string, unknown>
}

/** Does the work once per key, in one transaction with it. Given from outside, because runs keep the keys. */
export type Once = <Answer extends Record<string, unknown>>(
  intent: RepeatIntent,
  work: (trx: Trx) => Promise<Answer>,
) => Promise<Answer>

/** The version that a trigger starts, and where. */
export interface TriggerTarget {
  chatroom_id: string
  task_version_id: string
}

/** Throws unless the principal may start runs of that version by a trigger. Given from outside, because runs know how. */
export type RequireTarget = (principal: Principal, target: TriggerTarget) => Promise<void>

/** Dependencies of the use cases of this folder. */
export interface TableContext {
  db: Database
  directory: Directory
  pages: PageTokens
  clock: Clock
  once: Once
  queries: TableQueries
  requireTarget: RequireTarget
}
