import { Readable } from 'node:stream'
import { rowColumns } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import type { ExportFormat, TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import type { Principal } from '../../access/principal.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import type { TableRecord } from '../catalogue/custom-table-store.ts'
import { requireTable } from '../catalogue/table-access.ts'
import type { TableContext } from '../table-context.ts'
import { parseFilter } from './row-filter.ts'
import type { RowQuery } from './row-query-store.ts'
import { renderRow } from './row-service.ts'
import type { StoredRow } from './table-row-store.ts'

const batchRows = 200
/** Text that is made at once: others wait for the event loop meanwhile. */
const pieceLength = 64 * 1024

interface WantedRows {
  tableId: string
  format: ExportFormat
  filter: string[] | undefined
  /** Fires when the reader has gone. */
  signal: AbortSignal
}

export interface RowExport {
  body: Readable
  mediaType: string
  filename: string
}

/**
 * All rows in the order of creation, read in batches as fast as the reader takes them and its company pays for them. It holds a place of the company's
 * queries until it ends. Throws `custom_table_busy`; a failure later ends the stream early.
 */
export async function exportRows(
  context: TableContext & { downloads: Downloads },
  principal: Principal,
  { tableId, format, filter, signal }: WantedRows,
): Promise<RowExport> {
  const table = await requireTable(context.db, principal, 'table.read', tableId)
  const query = {
    companyId: table.company_id,
    tableId: table.id,
    conditions: parseFilter(table.fields, filter),
    limit: batchRows,
  }
  const release = context.queries.take(table.company_id)
  const lines = Readable.from(linesOf(context, { table, query, format }), { objectMode: false })
  const body = context.downloads.send(lines, { companyId: table.company_id, signal }, release)
  const mediaType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8'
  return { body, mediaType, filename: `${table.id}.${format}` }
}

async function* linesOf(
  { queries }: TableContext,
  { table, query, format }: { table: TableRecord; query: RowQuery; format: ExportFormat },
): AsyncGenerator<string, void> {
  const names = table.fields.map(({ name }) => name)
  const slice = slicesOf(table.company_id)
  if (format === 'csv') yield csvHeader(names)
  const lineOf = (row: StoredRow) =>
    format === 'csv' ? csvLine(names, renderRow(row)) : `${JSON.stringify(renderRow(row))}\n`
  for (let after: { id: string; sortKey: null } | undefined; ; ) {
    const rows = await queries.read({ ...query, after })
    let piece = ''
    for (const row of rows) {
      // A reader that is fast enough never makes the loop wait.
      if (slice.isOver) await slice.next()
      piece += lineOf(row)
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
    if (piece !== '') yield piece
    const last = rows.at(-1)
    if (!last || rows.length < batchRows) return
    after = { id: last.id, sortKey: null }
  }
}

/* Rows as CSV (RFC 4180), for spreadsheets. */

const lineEnd = '\r\n'
/** A spreadsheet would execute a text that starts so. */
const formulaStart = /^[=+\-@\t\r]/

const csvHeader = (fields: readonly string[]): string =>
  [...rowColumns, ...fields].map(cellOf).join(',') + lineEnd

const csvLine = (fields: readonly string[], row: TableRow): string =>
  [...rowColumns.map((name) => row[name]), ...fields.map((name) => row.values[name])].map(cellOf).join(',') +
  lineEnd

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const inert = formulaStart.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
