import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { columnNames } from '../catalogue/table-fields.ts'

/* Rows as CSV (RFC 4180), for spreadsheets. */

const lineEnd = '\r\n'
/** A spreadsheet would execute a text that starts so. */
const formulaStart = /^[=+\-@\t\r]/

export const csvHeader = (fields: readonly string[]): string =>
  [...columnNames, ...fields].map(cellOf).join(',') + lineEnd

export const csvLine = (fields: readonly string[], row: TableRow): string =>
  [...columnNames.map((name) => row[name]), ...fields.map((name) => row.values[name])].map(cellOf).join(',') +
  lineEnd

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const inert = formulaStart.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
