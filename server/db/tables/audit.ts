import type { Generated } from 'kysely'

export interface OperatorActsTable {
  /** Without gaps, from 1; given by the database. */
  sequence: Generated<number>
  done_at: Generated<Date>
  /** Of the machine, that ran the command. */
  account: string
  act: string
  /** What it was done to; empty where there is but one. */
  subject: string
  details: object
  /** Over this row and the hash before it, in hex; made by the database. */
  hash: Generated<string>
}
