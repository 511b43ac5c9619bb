/** The budgets of a company and the use of the current month. Amounts are decimal strings. */
export interface CompanyBudget {
  company_id: string
  budgets: { month: string; recurring: boolean; amount: string }[]
  month: string
  /** The amount that may be spent this month; null: no limit if there are no budgets, else nothing may be queued. */
  limit: string | null
  /** Reserved for work that has not ended. */
  held: string
  spent: string
}

/** An amount of a budget: at most six decimals, and less than Postgres and JavaScript count exactly in millionths. */
export const budgetAmountPattern = '^[0-9]{1,9}(\\.[0-9]{1,6})?$'
export const budgetMonthPattern = '^20[0-9]{2}-(0[1-9]|1[0-2])$'
