import type { CompanyBudget } from '@sandbox-jobs/contract/operator/company-budget.ts'
import type { Database } from '../../db/database.ts'
import { folding } from '../../work/fold-changes.ts'
import { moneyText } from '../money.ts'
import {
  type BudgetRow,
  budgetFold,
  deleteBudgets,
  listBudgets,
  readMonthSpend,
  setBudget,
} from './budget-store.ts'

/** A new budget: of one month, or of that month and all later ones. `none` removes all budgets. */
type BudgetChange = BudgetRow | 'none'

export async function readBudget(db: Database, companyId: string): Promise<CompanyBudget> {
  const budgets = await listBudgets(db, companyId)
  const { month, heldMicro, committedMicro } = await readMonthSpend(db, companyId)
  const limit = limitOf(budgets, month)
  return {
    company_id: companyId,
    budgets: budgets.map((each) => ({
      month: each.month,
      recurring: each.recurring,
      amount: moneyText(each.amountMicro),
    })),
    month,
    limit: limit === undefined ? null : moneyText(limit),
    held: moneyText(heldMicro),
    spent: moneyText(committedMicro - heldMicro),
  }
}

export async function changeBudget(
  db: Database,
  companyId: string,
  change: BudgetChange,
): Promise<CompanyBudget> {
  if (change === 'none') await deleteBudgets(db, companyId)
  else await setBudget(db, companyId, change)
  return readBudget(db, companyId)
}

/** The month's own budget, else the latest recurring one. */
const limitOf = (budgets: readonly BudgetRow[], month: string): number | undefined =>
  (
    budgets.find((each) => !each.recurring && each.month === month) ??
    budgets.findLast((each) => each.recurring && each.month <= month)
  )?.amountMicro

/** One iteration of the loop that folds recorded changes into the totals. */
export const foldBudgets = ({ db }: { db: Database }) => folding(db, budgetFold)
