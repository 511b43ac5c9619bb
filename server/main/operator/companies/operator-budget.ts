import { type CompanyBudget, changeBudget, readBudget } from '../../../billing/budgets/company-budget.ts'
import { findCompanyId } from '../../../companies/companies.ts'
import { actOnService, onLocalService, type ServiceRefusal } from '../local-service.ts'

export type { CompanyBudget } from '../../../billing/budgets/company-budget.ts'
/** Millionths of an amount as a person writes it; undefined if it is none. */
export { microOf as readAmount } from '../../../billing/money.ts'

/** Undefined: no such company. */
type Outcome = Promise<{ ok: true; value: CompanyBudget | undefined } | ServiceRefusal>

/** The budgets of a company, by id or name, and the use of this month. */
export const showBudget = (company: string): Outcome =>
  onLocalService(async ({ db }) => {
    const id = await findCompanyId(db, company)
    return id === undefined ? undefined : readBudget(db, id)
  })

/** A budget without a month is for the current one, and later ones. */
export type WantedBudget = { amountMicro: number; month?: string | undefined; recurring: boolean } | 'none'

/** Sets the budget of a month, with or without all later ones, or removes all budgets. */
export const setCompanyBudget = (company: string, wanted: WantedBudget): Outcome =>
  actOnService(
    { act: 'budget_set', subject: company, details: wanted === 'none' ? { removed: true } : wanted },
    async ({ db, clock }) => {
      const id = await findCompanyId(db, company)
      if (id === undefined) return undefined
      const thisMonth = clock.now().toISOString().slice(0, 'YYYY-MM'.length)
      return changeBudget(
        db,
        id,
        wanted === 'none' ? 'none' : { ...wanted, month: wanted.month ?? thisMonth },
      )
    },
  )
