import { tablesOfCompanyMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  CustomTable,
  CustomTableCreateRequest,
  CustomTableList,
  CustomTableUpdateRequest,
  TableFieldsAddRequest,
} from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { authorize, departmentsManagedBy, ownedBy, refusalOf } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { definitionBytes, requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { TableContext } from '../table-context.ts'
import {
  archiveTableRow,
  changeTable,
  countActiveTables,
  findTable,
  insertTable,
  listTableRows,
  type TableRecord,
} from './custom-table-store.ts'
import { type ListQuery, pageOf } from './list-page.ts'
import { inTableTransaction, lockActiveTable, requireTable } from './table-access.ts'
import { declaredFields } from './table-fields.ts'

/* Tables: create, find, change and archive (contract part 3, D3). */

export async function createTable(
  context: TableContext,
  principal: Principal,
  request: CustomTableCreateRequest,
): Promise<CustomTable> {
  const { companyId } = principal
  await requireOwnable(context, principal, request)
  const fields = declaredFields(request.fields)
  const row = await context.db.transaction().execute(async (trx) => {
    if ((await countActiveTables(trx, companyId, tablesOfCompanyMax)) >= tablesOfCompanyMax)
      throw new CodedError('custom_table_limit_reached', { limit: tablesOfCompanyMax })
    await requireStorageQuota(trx, companyId, definitionBytes.table)
    return insertTable(trx, {
      id: newId('customTable'),
      company_id: companyId,
      owner_scope: request.owner_scope,
      owner_id: request.owner_id,
      name: request.name,
      description: request.description ?? '',
      fields: JSON.stringify(fields),
      commands_only: request.commands_only ?? false,
      channel_rule: request.channel_rule ?? false,
      created_by: principal.principalId,
    })
  })
  return renderTable(row)
}

/** An owner that does not exist gets the same error as one that the caller must not use. */
async function requireOwnable(
  { directory }: TableContext,
  principal: Principal,
  { owner_scope, owner_id }: CustomTableCreateRequest,
): Promise<void> {
  const { companyId: company_id } = principal
  authorize(principal, 'table.create', ownedBy({ company_id, owner_scope, owner_id }))
  const isThere =
    owner_scope === 'company' ? owner_id === company_id : await directory.department(company_id, owner_id)
  if (!isThere) throw refusalOf('table.create')
}

export function listTables(
  { db, pages }: TableContext,
  principal: Principal,
  query: ListQuery,
): Promise<CustomTableList> {
  const { companyId } = principal
  const departments = departmentsManagedBy(principal)
  const departmentIds = departments === 'company' ? undefined : departments
  return pageOf(pages, `custom-tables:${companyId}`, query, {
    rows: (filter) => listTableRows(db, { companyId, departmentIds, ...filter }),
    item: renderTable,
  })
}

export const readTable = async (
  { db }: TableContext,
  principal: Principal,
  id: string,
): Promise<CustomTable> => renderTable(await requireTable(db, principal, 'table.read', id))

export async function updateTable(
  { db }: TableContext,
  principal: Principal,
  { id, request }: { id: string; request: CustomTableUpdateRequest },
): Promise<CustomTable> {
  const set = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
  await requireTable(db, principal, 'table.change', id)
  if (Object.keys(set).length === 0) throw new CodedError('no_fields')
  return inTableTransaction(db, id, async (trx) => {
    const table = await lockActiveTable(trx, principal, 'table.change', id)
    const isRuleChanged = request.channel_rule !== undefined && request.channel_rule !== table.channel_rule
    if (isRuleChanged && table.row_count > 0) throw new CodedError('custom_table_not_empty')
    return renderTable(await changeTable(trx, table, set))
  })
}

export async function addFields(
  { db }: TableContext,
  principal: Principal,
  { id, request }: { id: string; request: TableFieldsAddRequest },
): Promise<CustomTable> {
  return inTableTransaction(db, id, async (trx) => {
    const table = await lockActiveTable(trx, principal, 'table.change', id)
    const added = declaredFields(request.fields, table.fields)
    if (table.row_count > 0 && added.some(({ required }) => required))
      throw new CodedError('custom_table_not_empty')
    return renderTable(await changeTable(trx, table, { fields: JSON.stringify([...table.fields, ...added]) }))
  })
}

export async function archiveTable(
  { db, clock }: TableContext,
  principal: Principal,
  id: string,
): Promise<CustomTable> {
  return inTableTransaction(db, id, async (trx) => {
    const table = await lockActiveTable(trx, principal, 'table.change', id)
    await archiveTableRow(trx, table, clock.now())
    return renderTable((await findTable(trx, table.company_id, id)) ?? table)
  })
}

const renderTable = (row: TableRecord): CustomTable => ({
  id: row.id,
  company_id: row.company_id,
  owner_scope: row.owner_scope,
  owner_id: row.owner_id,
  name: row.name,
  description: row.description,
  fields: row.fields,
  commands_only: row.commands_only,
  channel_rule: row.channel_rule,
  row_count: row.row_count,
  state: row.state,
  created_at: row.created_at.toISOString(),
})
