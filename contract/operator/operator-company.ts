import type { CompanyBudget } from './company-budget.ts'
import type { CompanyLimits } from './company-limits.ts'
import type { CompanyWork } from './operator-state.ts'

export interface ListedCompany {
  id: string
  name: string
}

export interface CompanyList {
  /** By name. */
  items: ListedCompany[]
  /** More companies have the searched name than are listed. */
  is_cut: boolean
}

/** A company as the operator sees it: numbers, and nothing of its content. */
export interface OperatedCompany extends ListedCompany {
  work: Omit<CompanyWork, 'company_id' | 'name'>
  /** Stored bytes; a limit of null: none. */
  storage: { kept_bytes: number; limit_bytes: number | null }
  limits: CompanyLimits
  /** A higher `queued_run_limit` changes nothing on this deployment. */
  queued_run_limit_max: number
  budget: CompanyBudget
}
