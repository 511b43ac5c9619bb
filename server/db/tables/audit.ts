import type { Generated } from 'kysely'

export interface OperatorActsTable {
  /** Without gaps, from 1; assigned by the database. */
  sequence: Generated<number>
  done_at: Generated<Date>
  /** Operating system account that ran the command. */
  account: string
  act: string
  /** The object of the command; empty if there is only one. */
  subject: string
  details: object
  /** Hash over this row and the previous hash, in hex; computed by the database. */
  hash: Generated<string>
}

/** One row while operators refuse all changes. */
export interface KillSwitchTable {
  single: Generated<boolean>
  stopped_at: Generated<Date>
}

/** A run that an operator wants to end, or a whole queue, until a worker has ended it. */
export interface RunEndRequestsTable {
  id: Generated<number>
  company_id: string
  /** Null: all runs of the company that were queued by then. */
  run_id: string | null
  requested_at: Generated<Date>
  account: string
}

/** A change that is not in a chain yet; written with the change, mostly by triggers. */
export interface AuditPendingTable {
  id: Generated<number>
  /** Empty: the deployment. */
  company_id: string
  at: Generated<Date>
  change: AuditChange
  object_type: string
  object_id: string
  chatroom_id: string | null
  run_id: string | null
  slot: string | null
  from_state: string | null
  to_state: string | null
  digest_before: Buffer | null
  digest_after: Buffer | null
  /** JSON of `Acting`; empty: the service itself. */
  context: Generated<string>
  account: Generated<string>
}

export type AuditChange = 'insert' | 'update' | 'delete' | 'state'

/** Entries of the chains, written by `chain_audit_entries()` alone. */
export interface AuditEntriesTable {
  company_id: string
  sequence: number
  at: Date
  action: string
  actor_type: string
  actor_id: string
  api_key_id: string | null
  turn_id: string | null
  request_id: string | null
  change: AuditChange
  object_type: string
  object_id: string
  chatroom_id: string | null
  run_id: string | null
  slot: string | null
  from_state: string | null
  to_state: string | null
  digest_before: Buffer | null
  digest_after: Buffer | null
  hash: Buffer
}

export interface AuditChainsTable {
  company_id: string
  start_sequence: number
  start_hash: Buffer
  sequence: number
  hash: Buffer
}

export interface AuditHeadsTable {
  company_id: string
  sequence: number
  hash: Buffer
  signed_at: Date
  key_id: string
  signature: Buffer
}

export interface AuditSaltTable {
  single: boolean
  salt: Buffer
}
