import { ChatroomId, CustomTableId, TableRowId } from '../identifiers.ts'
import { rowsPageSizeDefault } from '../limits.ts'
import {
  exportQuery,
  rowQuery,
  TableRow,
  TableRowCreateRequest,
  TableRowDeleted,
  TableRowList,
  TableRowUpdateRequest,
} from '../resources/tables/table-row.ts'
import { Strict } from '../schema.ts'
import { tablesPrefix } from './prefixes.ts'
import { route } from './route.ts'

const rows = `${tablesPrefix}/tables/{id}/rows` as const
const row = `${rows}/{rid}` as const

const TableParams = Strict({ id: CustomTableId })
const RowParams = Strict({ id: CustomTableId, rid: TableRowId })
const RoomTableParams = Strict({ cid: ChatroomId, id: CustomTableId })

const tenant = { tag: 'Custom tables' } as const
const reads = { ...tenant, action: 'table.read', method: 'GET' } as const
const writes = { ...tenant, action: 'table.write_rows' } as const
const writeErrors = ['not_found', 'custom_table_archived', 'custom_table_commands_only'] as const
const scanErrors = ['not_found', 'custom_table_query_too_slow', 'custom_table_busy'] as const

/** Rows of custom tables (contract part 3, D3). */
export const tableRowRoutes = {
  listRows: route({
    ...reads,
    path: rows,
    summary: 'List rows of a table',
    description:
      'With conditions and an order. A page continues where the last one ended, also while rows change.',
    params: TableParams,
    query: rowQuery(rowsPageSizeDefault),
    response: TableRowList,
    errors: scanErrors,
  }),
  exportRows: route({
    ...reads,
    path: `${rows}/export`,
    summary: 'Export rows of a table',
    description:
      'All rows in the order of creation, as CSV or as JSON lines, one row as TableRow on each. In CSV, text that a spreadsheet would read as a formula starts with an apostrophe.',
    params: TableParams,
    query: exportQuery,
    errors: scanErrors,
  }),
  createRow: route({
    ...writes,
    method: 'POST',
    path: rows,
    summary: 'Create a row',
    description: 'At most 64 KiB of values. Repeating the key returns the first row.',
    params: TableParams,
    body: TableRowCreateRequest,
    idempotent: true,
    response: TableRow,
    errors: [
      ...writeErrors,
      'custom_table_limit_reached',
      'custom_table_trigger_backlog',
      'storage_quota_exceeded',
      'disk_space_low',
    ],
  }),
  readRow: route({
    ...reads,
    path: row,
    summary: 'Read a row',
    description: 'Its values and its version.',
    params: RowParams,
    response: TableRow,
    errors: ['not_found'],
  }),
  updateRow: route({
    ...writes,
    method: 'PATCH',
    path: row,
    summary: 'Change values of a row',
    description: 'Only the named fields change. A change without effect leaves the version as it is.',
    params: RowParams,
    body: TableRowUpdateRequest,
    response: TableRow,
    errors: [
      ...writeErrors,
      'custom_table_row_changed',
      'custom_table_trigger_backlog',
      'storage_quota_exceeded',
      'disk_space_low',
    ],
  }),
  deleteRow: route({
    ...writes,
    method: 'DELETE',
    path: row,
    summary: 'Delete a row',
    description: 'For good.',
    params: RowParams,
    response: TableRowDeleted,
    errors: writeErrors,
  }),
  listRoomRows: route({
    ...tenant,
    action: 'table.read_room_rows',
    method: 'GET',
    path: `${tablesPrefix}/chatrooms/{cid}/tables/{id}/rows`,
    summary: 'List the rows of a table that belong to a chatroom',
    description: 'For the people of the chatroom; only tables with a channel rule have such rows.',
    params: RoomTableParams,
    query: rowQuery(rowsPageSizeDefault),
    response: TableRowList,
    errors: scanErrors,
  }),
}
