import { billingErrors } from './billing-errors.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import { doorErrors } from './door-errors.ts'
import { environmentErrors } from './environment-errors.ts'
import { notificationErrors } from './notification-errors.ts'
import { outputPolicyErrors } from './output-policy-errors.ts'
import { platformErrors } from './platform-errors.ts'
import { proposalErrors } from './proposal-errors.ts'
import { requestErrors } from './request-errors.ts'
import { runErrors } from './run-errors.ts'
import { scheduleErrors } from './schedule-errors.ts'
import { secretErrors } from './secret-errors.ts'
import { sessionErrors } from './session-errors.ts'
import { tableErrors } from './table-errors.ts'
import { taskErrors } from './task-errors.ts'

export type { CatalogueEntry }

/** Every coded error (contract part 2, "Errors"), declared in one file per area. */
export const catalogue = {
  ...requestErrors,
  ...platformErrors,
  ...environmentErrors,
  ...taskErrors,
  ...runErrors,
  ...sessionErrors,
  ...billingErrors,
  ...secretErrors,
  ...outputPolicyErrors,
  ...tableErrors,
  ...proposalErrors,
  ...notificationErrors,
  ...doorErrors,
  ...scheduleErrors,
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue

/** An error's statuses: callbacks hide whether there is a run (contract part 2, "Command-output callback errors"). */
export const statusesOf = (code: ErrorCode): number[] =>
  code === 'output_run_unavailable' ? [404, catalogue[code].status] : [catalogue[code].status]

/** The catalogue by area. */
export const catalogueAreas: readonly Record<string, CatalogueEntry>[] = [
  requestErrors,
  platformErrors,
  environmentErrors,
  taskErrors,
  runErrors,
  sessionErrors,
  billingErrors,
  secretErrors,
  outputPolicyErrors,
  tableErrors,
  proposalErrors,
  notificationErrors,
  doorErrors,
  scheduleErrors,
]
