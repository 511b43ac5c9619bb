import type { UsageReport } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'

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
