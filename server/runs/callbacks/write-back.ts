import type { WritebackPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type {
  WritebackRequest,
  WritebackResult,
} from '@sandbox-jobs/contract/resources/tables/output-callback.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { lockTable, type TableRecord } from '../../custom-tables/catalogue/custom-table-store.ts'
import { mayWriteTable } from '../../custom-tables/policies/policy-people.ts'
import { tableProblem } from '../../custom-tables/policies/policy-target.ts'
import { allowsUpdate, storedPolicy } from '../../custom-tables/policies/stored-policy.ts'
import { findRow } from '../../custom-tables/rows/table-row-store.ts'
import { addRow, changeRow } from '../../custom-tables/rows/write-row.ts'
import type { Trx } from '../../db/database.ts'
import { acceptCallback, type CallbackCall, type CallbackDeps, performOnce } from './accept-callback.ts'

/** A run writes a row of the table of its policy (contract part 3, D3). */
export async function writeBack(
  deps: CallbackDeps,
  call: CallbackCall,
  body: WritebackRequest,
): Promise<WritebackResult> {
  const { claim, run } = await acceptCallback(deps, call)
  const policy = storedPolicy(run.output_policy)
  if (typeof policy === 'string' || policy.kind !== 'custom_table_writeback')
    throw new CodedError('output_run_unavailable')
  requireOperation(policy, body)
  const publisher = await deps.findUser(run.company_id, run.publisher)
  return deps.db.transaction().execute(async (trx) => {
    const table = await lockTable(trx, run.company_id, policy.table_id)
    if (!table || tableProblem(table)) throw new CodedError('output_policy_unsatisfiable')
    if (!mayWriteTable(publisher, table)) throw new CodedError('output_policy_author_denied')
    return performOnce(trx, claim, {
      key: effectKeyOf(body),
      request: { ...body },
      conflict: 'output_row_conflict',
      perform: () => write(trx, table, { body, at: deps.clock.now() }),
    })
  })
}

function requireOperation(policy: WritebackPolicy, { op, row_id }: WritebackRequest): void {
  const loc = ['body', 'row_id']
  if (op === 'update' && !allowsUpdate(policy)) throw new CodedError('output_operation_denied')
  if (op === 'update' && row_id === undefined) throw invalid(loc, 'missing', 'is required for update')
  if (op === 'create' && row_id !== undefined) throw invalid(loc, 'not_allowed', 'belongs to update')
}

/**
 * A create without a name is the one row of the run: a second one with other values is a conflict, not a row that might be
 * there twice. An update without a name sets values, which may be repeated.
 */
function effectKeyOf({ op, client_row_key: key }: WritebackRequest): string | undefined {
  if (key !== undefined) return `${op}:${key}`
  return op === 'create' ? 'create' : undefined
}

async function write(
  trx: Trx,
  table: TableRecord,
  { body, at }: { body: WritebackRequest; at: Date },
): Promise<WritebackResult> {
  const { op, values, row_id: id = '' } = body
  const found =
    op === 'update' ? await findRow(trx, { companyId: table.company_id, tableId: table.id, id }) : undefined
  if (op === 'update' && !found) throw notFound()
  const row = found
    ? await changeRow(trx, table, { row: found, values })
    : await addRow(trx, table, { values, chatroomId: null })
  return { op, row_id: row.id, version: row.version, status: 'applied', applied_at: at.toISOString() }
}
