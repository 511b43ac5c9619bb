import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Nullable } from '../../schema.ts'

/** The budget of a company for the current month, and its use. Amounts are decimal strings. */
export const BudgetUse = Type.Object({
  month: about('The month (UTC).', Type.String(), '2026-11'),
  currency: about('Currency of the amounts; null where nothing has a price.', Nullable(Type.String()), 'USD'),
  limit: about(
    'The amount that may be spent; null: no limit if there are no budgets, else nothing may be queued.',
    Nullable(Type.String()),
    '500.000000',
  ),
  has_budgets: about('Whether the company has budgets.', Type.Boolean(), true),
  held: about('Reserved for work that has not ended.', Type.String(), '0.003100'),
  spent: about('Cost of work that has ended.', Type.String(), '12.400000'),
})
export type BudgetUse = Static<typeof BudgetUse>
