import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { buildFenceMaxMinutes, nameMaxLength, reasonMaxLength } from '../limits.ts'
import { OneOf, PlainText, Strict, VisibleText } from '../schema.ts'
import { budgetAmountPattern, budgetMonthPattern } from './company-budget.ts'
import { type LimitChanges, limitMax, limitNames } from './company-limits.ts'
import { loggedServices, logLevels } from './service-log.ts'

/** Why the operator acts. The audit log of operators keeps it. */
const reason = VisibleText({ maxLength: reasonMaxLength })

export const CompanyQuery = Strict({
  /** Part of the name of a company. */
  name: Type.Optional(PlainText({ maxLength: nameMaxLength })),
})

/** Work of one company, or of all. */
export const WorkQuery = Strict({ company: Type.Optional(Identifier) })

/** Lines of a process, of a level and more, that hold a text. */
export const LogQuery = Strict({
  service: Type.Optional(OneOf(loggedServices)),
  level: Type.Optional(OneOf(logLevels)),
  text: Type.Optional(PlainText({ maxLength: nameMaxLength })),
})

/** The acts before an entry, or the newest. */
export const ActsQuery = Strict({ before: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })) })

export const StopBuildsRequest = Strict({
  reason,
  minutes: Type.Integer({ minimum: 1, maximum: buildFenceMaxMinutes }),
})

/** An act that needs nothing else. */
export const ActRequest = Strict({ reason })

const limits = limitNames.map((name) => [
  name,
  Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax[name] })),
])

export const SetLimitsRequest = Strict({
  reason,
  limits: Type.Unsafe<LimitChanges>({
    ...Strict({ ...Object.fromEntries(limits), runtime_egress_enabled: Type.Optional(Type.Boolean()) }),
    minProperties: 1,
  }),
})

/** For a month and, if it recurs, all later ones; without a month from the current one on. */
export const SetBudgetRequest = Strict({
  reason,
  amount: Type.String({ pattern: budgetAmountPattern }),
  month: Type.Optional(Type.String({ pattern: budgetMonthPattern })),
  recurring: Type.Boolean(),
})
