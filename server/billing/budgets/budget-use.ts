import type { BudgetUse } from '@sandbox-jobs/contract/resources/companies/budget-use.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import type { Database } from '../../db/database.ts'
import { currencyOfPrices } from '../prices/currency.ts'
import { readBudget } from './company-budget.ts'

/** The budget of the caller's company and its use. Throws plain 403 for roles below company manager. */
export async function readBudgetUse({ db }: { db: Database }, principal: Principal): Promise<BudgetUse> {
  authorize(principal, 'usage.report', ownCompany)
  const { budgets, month, limit, held, spent } = await readBudget(db, principal.companyId)
  const currency = await currencyOfPrices(db)
  return { month, currency, limit, has_budgets: budgets.length > 0, held, spent }
}
