import { CustomTableId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import {
  CustomTable,
  CustomTableCreateRequest,
  CustomTableList,
  CustomTableUpdateRequest,
  TableFieldsAddRequest,
} from '../resources/tables/custom-table.ts'
import { Strict } from '../schema.ts'
import { tablesPrefix } from './prefixes.ts'
import { route } from './route.ts'

const tables = `${tablesPrefix}/tables` as const
const table = `${tables}/{id}` as const

const TableParams = Strict({ id: CustomTableId })
const tenant = { tag: 'Custom tables' } as const
const changes = { ...tenant, action: 'table.change', params: TableParams, response: CustomTable } as const

/** Custom tables and their fields (contract part 3, D3). */
export const tableRoutes = {
  listTables: route({
    ...tenant,
    action: 'table.list',
    method: 'GET',
    path: tables,
    summary: 'List tables',
    description:
      'Those of the company for its managers, those of their departments for managers of departments.',
    query: listQuery(catalogPageSizeDefault),
    response: CustomTableList,
    errors: [],
  }),
  createTable: route({
    ...tenant,
    action: 'table.create',
    method: 'POST',
    path: tables,
    summary: 'Create a table',
    description:
      'Its owner is the company or a department that the caller manages. Fields can be added later.',
    body: CustomTableCreateRequest,
    response: CustomTable,
    errors: [
      'owner_scope_forbidden',
      'custom_table_limit_reached',
      'storage_quota_exceeded',
      'disk_space_low',
    ],
  }),
  readTable: route({
    ...tenant,
    action: 'table.read',
    method: 'GET',
    path: table,
    summary: 'Read a table',
    description: 'Its fields and flags, and how many rows it has.',
    params: TableParams,
    response: CustomTable,
    errors: ['not_found'],
  }),
  updateTable: route({
    ...changes,
    method: 'PATCH',
    path: table,
    summary: 'Change the name, description or flags of a table',
    description: 'The channel rule can change only while the table has no rows.',
    body: CustomTableUpdateRequest,
    errors: ['not_found', 'no_fields', 'custom_table_archived', 'custom_table_not_empty'],
  }),
  addTableFields: route({
    ...changes,
    method: 'POST',
    path: `${table}/fields`,
    summary: 'Add fields to a table',
    description: 'They come after the others. While the table has rows, none of them may be required.',
    body: TableFieldsAddRequest,
    errors: ['not_found', 'custom_table_archived', 'custom_table_not_empty', 'custom_table_limit_reached'],
  }),
  archiveTable: route({
    ...changes,
    method: 'POST',
    path: `${table}/archive`,
    summary: 'Archive a table',
    description:
      'Nothing writes its rows from then on; they stay readable. Runs that would write them are refused.',
    errors: ['not_found', 'custom_table_archived'],
  }),
}
