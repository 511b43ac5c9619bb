import type { UsageDimension, UsageReport } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { type Clock, dayMs } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import type { Database } from '../../db/database.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import { moneyText } from '../money.ts'
import { readUsage } from './usage-report-store.ts'

/** Reports of one process: a year of a busy company takes the database seconds. Each company gets two, and one even when all are taken. */
const slots = new SharedSlots({ all: 4, each: 2, assuredEach: 1 })
const linesMax = 10_000
const daysMax = 366

interface UsageDeps {
  db: Database
  clock: Clock
}

export interface UsageQuery {
  by?: UsageDimension[] | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Use and cost of ended work of the caller's company. Throws `usage_busy`, and plain 403 for roles below company manager. */
export async function reportUsage(
  { db, clock }: UsageDeps,
  principal: Principal,
  query: UsageQuery,
): Promise<UsageReport> {
  authorize(principal, 'usage.report', ownCompany)
  const by = query.by?.length ? [...new Set(query.by)] : (['day'] as const)
  const to = query.to ?? dayOf(clock.now())
  const from = query.from ?? `${to.slice(0, 'YYYY-MM'.length)}-01`
  checkRange(from, to)
  const range = { companyId: principal.companyId, from, to }
  const read = () => readUsage(db, range, { by, limit: linesMax + 1 })
  const rows = await slots.within(range.companyId, () => new CodedError('usage_busy'), read)
  return {
    company_id: principal.companyId,
    from,
    to,
    by: [...by],
    currency: 'USD',
    items: rows.slice(0, linesMax).map(({ cost_micro, ...row }) => ({ ...row, cost: moneyText(cost_micro) })),
    truncated: rows.length > linesMax,
  }
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 'YYYY-MM-DD'.length)

function checkRange(from: string, to: string): void {
  const [first, last] = [requireDay('from', from), requireDay('to', to)]
  const days = (last - first) / dayMs + 1
  if (days < 1) throw invalid(['query', 'to'], 'range', 'must not be before from')
  if (days > daysMax) throw invalid(['query', 'from'], 'range', `must be at most ${daysMax} days before to`)
}

/** The start of a day of the calendar, in milliseconds since 1970. */
function requireDay(name: string, day: string): number {
  const at = new Date(`${day}T00:00:00.000Z`)
  if (Number.isNaN(at.getTime()) || dayOf(at) !== day || day < '1970')
    throw invalid(['query', name], 'date', 'must be a day of the calendar, like 2026-11-24')
  return at.getTime()
}

const columns = [
  'day',
  'kind',
  'subject_id',
  'subject_name',
  'chatroom_id',
  'chatroom_name',
  'department_id',
  'department_name',
  'principal_type',
  'principal_id',
  'principal_name',
  'count',
  'seconds',
  'ingress_bytes',
  'egress_bytes',
  'cost',
] as const

/** A report as CSV (RFC 4180) with a heading. */
export const usageCsv = ({ items }: Pick<UsageReport, 'items'>): string =>
  [columns, ...items.map((item) => columns.map((column) => cell(item[column])))]
    .map((line) => `${line.join(',')}\r\n`)
    .join('')

/** Names are texts of tenants. A spreadsheet would execute one that starts like a formula, so that gets an apostrophe. */
function cell(value: string | number | null): string {
  if (value === null) return ''
  const text = String(value)
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
