import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { table } from '../output/table.ts'

const cellMaxLength = 48

/** Rows with one column for each field; long values are cut. */
export const rowsText = (fields: readonly TableField[], rows: readonly TableRow[]): string =>
  table(
    ['ROW', 'VERSION', ...fields.map(({ name }) => name)],
    rows.map((row) => [row.id, String(row.version), ...fields.map(({ name }) => cellOf(row.values[name]))]),
  )

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > cellMaxLength ? `${text.slice(0, cellMaxLength - 1)}…` : text
}
