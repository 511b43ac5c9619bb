import type { CompanyBudget } from '@sandbox-jobs/contract/operator/company-budget.ts'
import type { LimitChanges } from '@sandbox-jobs/contract/operator/company-limits.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Clock } from '../../base/clock.ts'
import { changeBudget } from '../../billing/budgets/company-budget.ts'
import { findCompanyId } from '../../companies/companies.ts'
import { type OperatorPolicy, setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import type { Database } from '../../db/database.ts'
import type { Act } from './act.ts'

interface LimitServices {
  db: Database
  config: { deployment: Deployment }
}

/** Changes limits of a company, by id or name. Undefined: no such company. */
export const setLimits = (
  company: string,
  changes: LimitChanges,
): Act<LimitServices, OperatorPolicy | undefined> => ({
  entry: { act: 'company_set', subject: company, details: changes },
  work: ({ db, config }) => setOperatorPolicy({ db, deployment: config.deployment }, company, changes),
})

interface BudgetServices {
  db: Database
  clock: Clock
}

/** A budget without a month is for the current one, and later ones. */
export type WantedBudget = { amountMicro: number; month?: string | undefined; recurring: boolean } | 'none'

/** Sets the budget of a month, with or without all later ones, or removes all budgets. Undefined: no such company. */
export const setBudget = (
  company: string,
  wanted: WantedBudget,
): Act<BudgetServices, CompanyBudget | undefined> => ({
  entry: { act: 'budget_set', subject: company, details: wanted === 'none' ? { removed: true } : wanted },
  work: async ({ db, clock }) => {
    const id = await findCompanyId(db, company)
    if (id === undefined) return undefined
    const thisMonth = clock.now().toISOString().slice(0, 'YYYY-MM'.length)
    return changeBudget(db, id, wanted === 'none' ? 'none' : { ...wanted, month: wanted.month ?? thisMonth })
  },
})
