import { Type } from 'typebox'
import { about } from '../about.ts'
import { repeatable } from '../pagination.ts'
import { BudgetUse } from '../resources/companies/budget-use.ts'
import { UsageDay, UsageReport, usageDimensions } from '../resources/companies/usage-report.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const report = {
  action: 'usage.report',
  tag: 'Settings',
  method: 'GET',
  query: Type.Object({
    by: about('Dimensions that the lines are grouped by; `day` if omitted.', repeatable(usageDimensions), [
      'day',
      'task',
    ]),
    from: about(
      'First day (UTC); the first of the month of the last day if omitted.',
      Type.Optional(UsageDay),
      '2026-11-01',
    ),
    to: about('Last day (UTC); today if omitted.', Type.Optional(UsageDay), '2026-11-30'),
  }),
  plainErrors: ['role_too_low'],
  errors: ['usage_busy'],
} as const

/** Use and cost of the company, for its managers (contract part 3, D6). */
export const usageRoutes = {
  readBudgetUse: route({
    action: 'usage.report',
    tag: 'Settings',
    method: 'GET',
    path: `${extensionPrefix}/budget`,
    summary: 'Read the budget of the company for this month, and what is left of it',
    description:
      'The operator sets budgets. A run or a build reserves the most that it can cost when it is queued.',
    response: BudgetUse,
    plainErrors: ['role_too_low'],
    errors: [],
  }),
  readUsageReport: route({
    ...report,
    path: `${extensionPrefix}/usage`,
    summary: 'Report what runs and builds of the company used and cost',
    description:
      'By day, task, room, department and person, over at most 366 days and 10,000 lines. Work counts when it has ended, on the day on which it was queued.',
    response: UsageReport,
  }),
  downloadUsageReport: route({
    ...report,
    path: `${extensionPrefix}/usage.csv`,
    summary: 'Download the usage report as CSV',
    description:
      'The lines of readUsageReport with a heading. A text that a spreadsheet might take for a formula starts with an apostrophe.',
    mediaType: 'text/csv',
  }),
}
