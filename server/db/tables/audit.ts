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
