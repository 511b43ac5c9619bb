import { rowsPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { TableRowList } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { PageTokens } from '../../base/page.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { findTable, type TableRecord } from '../catalogue/custom-table-store.ts'
import { requireTable } from '../catalogue/table-access.ts'
import type { TableContext } from '../table-context.ts'
import { parseFilter, parseSort, type RowCondition } from './row-filter.ts'
import type { ListedRow, RowPosition } from './row-query-store.ts'
import { renderRow } from './row-service.ts'

export interface RowListQuery {
  page_size?: number
  page_token?: string
  filter?: string[]
  sort?: string
}

/** One page of rows, for who manages the table. */
export async function listRows(
  context: TableContext,
  principal: Principal,
  { tableId, query }: { tableId: string; query: RowListQuery },
): Promise<TableRowList> {
  const table = await requireTable(context.db, principal, 'table.read', tableId)
  return rowPage(context, table, { query, within: [] })
}

/** One page of the rows of a chatroom, for its people. A table without a channel rule has none. */
export async function listRoomRows(
  context: TableContext,
  principal: Principal,
  { roomId, tableId, query }: { roomId: string; tableId: string; query: RowListQuery },
): Promise<TableRowList> {
  await context.directory.requireRoom(principal, 'table.read_room_rows', roomId)
  const table = await findTable(context.db, principal.companyId, tableId)
  if (!table?.channel_rule) throw notFound()
  const operand = { kind: 'column', name: 'chatroom_id', type: 'text' } as const
  return rowPage(context, table, { query, within: [{ operand, op: 'eq', value: roomId }] })
}

async function rowPage(
  { pages, queries }: TableContext,
  table: TableRecord,
  { query, within }: { query: RowListQuery; within: RowCondition[] },
): Promise<TableRowList> {
  const conditions = [...within, ...parseFilter(table.fields, query.filter)]
  const order = parseSort(table.fields, query.sort)
  const list = `rows:${table.id}:${JSON.stringify([within.map(({ value }) => value), query.filter, query.sort])}`
  const limit = query.page_size ?? rowsPageSizeDefault
  const release = queries.take(table.company_id)
  try {
    const rows = await queries.read({
      companyId: table.company_id,
      tableId: table.id,
      conditions,
      order,
      after: positionOf(pages, list, query.page_token),
      limit: limit + 1,
    })
    // Megabytes are rendered in one go.
    await slicesOf(table.company_id).next()
    return pages.page(list, rows, limit, { item: renderRow, cursor: cursorOf })
  } finally {
    release()
  }
}

const cursorOf = ({ id, sort_key }: ListedRow) => (sort_key === null ? [id] : [id, sort_key])

function positionOf(pages: PageTokens, list: string, token: string | undefined): RowPosition | undefined {
  const [id, sortKey = null] = pages.read(list, token) ?? []
  return typeof id === 'string' ? { id, sortKey: sortKey === null ? null : String(sortKey) } : undefined
}
