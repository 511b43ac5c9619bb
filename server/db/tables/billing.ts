import type { Generated } from 'kysely'

/** Amounts of all tables are in millionths of the currency. */
export interface PriceListsTable {
  id: Generated<number>
  currency: string
  rate_version: string
  bound_version: string
  minimum_billed_seconds: number
  finalization_seconds: number
  outbound_reservation_bytes: number
  inbound_reservation_bytes: Generated<number>
  applied_at: Generated<Date>
}

export interface PricesTable {
  list_id: number
  kind: 'run' | 'build'
  profile: string
  region: string
  place: number
  per_second_micro: number
  ingress_per_gib_micro: number
  egress_per_gib_micro: number
}

/** The amount that a run or a build attempt reserves, and from its end its cost. Settled by triggers. */
export interface ChargesTable {
  subject_id: string
  company_id: string
  kind: 'run' | 'build'
  list_id: number
  region: string
  /** `YYYY-MM-01` */
  month: string
  per_second_micro: number
  ingress_per_gib_micro: number
  egress_per_gib_micro: number
  minimum_billed_seconds: number
  reserved_seconds: number
  held_micro: number
  billed_seconds: number | null
  cost_micro: number | null
  settled_at: Date | null
  reserved_received_bytes: number | null
  reserved_sent_bytes: number | null
}

export interface CompanyBudgetsTable {
  company_id: string
  /** `YYYY-MM-01` */
  month: string
  /** Whether it also holds for later months. */
  recurring: boolean
  amount_micro: number
}

/** Written by triggers and submissions, and by the loop that folds changes into totals. */
export interface BudgetAmountsTable {
  company_id: string
  month: string
  micro: number
}

export interface UsageDaysTable {
  company_id: string
  day: string
  kind: 'run' | 'build'
  /** A task or an environment. */
  subject_id: string
  chatroom_id: string
  department_id: string
  principal_type: string
  principal_id: string
  count: number
  seconds: number
  ingress_bytes: number
  egress_bytes: number
  cost_micro: number
}

/** Written by triggers. */
export interface UsageChangesTable extends Omit<UsageDaysTable, 'count' | 'department_id'> {
  place: Generated<number>
  department_id: string | null
}
