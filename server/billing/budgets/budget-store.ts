import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import type { Fold } from '../../work/fold-changes.ts'

/* Writes `company_budgets`, and folds `budget_changes` into `budget_spend`. */

export interface BudgetRow {
  /** `YYYY-MM` */
  month: string
  /** Whether it also holds for later months, until a later one that does. */
  recurring: boolean
  amountMicro: number
}

export async function setBudget(db: Executing, companyId: string, budget: BudgetRow): Promise<void> {
  await db
    .insertInto('company_budgets')
    .values({
      company_id: companyId,
      month: `${budget.month}-01`,
      recurring: budget.recurring,
      amount_micro: budget.amountMicro,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'month', 'recurring'])
        .doUpdateSet({ amount_micro: budget.amountMicro }),
    )
    .execute()
}

/** Oldest first. */
export async function listBudgets(db: Executing, companyId: string): Promise<BudgetRow[]> {
  const { rows } = await sql<BudgetRow>`
    select to_char(month, 'YYYY-MM') as month, recurring, amount_micro as "amountMicro" from company_budgets
    where company_id = ${companyId} order by company_budgets.month, recurring
  `.execute(db)
  return rows
}

export const deleteBudgets = (db: Executing, companyId: string): Promise<unknown> =>
  db.deleteFrom('company_budgets').where('company_id', '=', companyId).execute()

export interface MonthSpend {
  /** `YYYY-MM` of the database's clock, UTC. */
  month: string
  /** Reserved for work that has not ended. */
  heldMicro: number
  /** Held and spent together. */
  committedMicro: number
}

export async function readMonthSpend(db: Executing, companyId: string): Promise<MonthSpend> {
  const { rows } = await sql<MonthSpend>`
    with current as (select date_trunc('month', now() at time zone 'UTC')::date as month)
    select to_char(current.month, 'YYYY-MM') as month,
      (select coalesce(sum(held_micro), 0)::bigint from charges
        where company_id = ${companyId} and settled_at is null and charges.month = current.month) as "heldMicro",
      (select coalesce(sum(micro), 0)::bigint from (
        select micro from budget_spend s where s.company_id = ${companyId} and s.month = current.month
        union all
        select micro from budget_changes c where c.company_id = ${companyId} and c.month = current.month
      ) parts) as "committedMicro"
    from current
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('a month was read without a row')
  return row
}

/** Recorded changes, and the totals they are added to. */
export const budgetFold: Fold = {
  changes: 'budget_changes',
  totals: 'budget_spend',
  key: { month: 'column' },
  sums: { micro: 'column' },
}
