import type { WritebackPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type {
  WritebackRequest,
  WritebackResult,
} from '@sandbox-jobs/contract/resources/tables/output-callback.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import type { FoundCredential } from '../../custom-tables/callbacks/callback-credentials.ts'
import { inTableTransaction } from '../../custom-tables/catalogue/table-access.ts'
import { lockWritableTable, mayWriteTable } from '../../custom-tables/policies/policy-target.ts'
import { allowsUpdate, storedPolicy } from '../../custom-tables/policies/stored-policy.ts'
import { addRow, changeRowById } from '../../custom-tables/rows/write-row.ts'
import { acceptCallback, type CallbackDeps, performForRun } from './accept-callback.ts'

/** A run writes a row of the table of its policy (contract part 3, D3). */
export async function writeBack(
  deps: CallbackDeps,
  credential: FoundCredential,
  body: WritebackRequest,
): Promise<WritebackResult> {
  const { claim, run } = await acceptCallback(deps, credential)
  const policy = storedPolicy(run.output_policy)
  if (typeof policy === 'string' || policy.kind !== 'custom_table_writeback')
    throw new CodedError('output_run_unavailable')
  requireOperation(policy, body)
  const publisher = await deps.findUser(run.company_id, run.publisher)
  return inTableTransaction(deps.db, policy.table_id, async (trx) => {
    const table = await lockWritableTable(trx, run.company_id, policy)
    if (!table) throw new CodedError('output_policy_unsatisfiable')
    if (!mayWriteTable(publisher, table)) throw new CodedError('output_policy_author_denied')
    return performForRun(trx, claim, {
      key: effectKeyOf(body),
      request: { ...body },
      conflict: 'output_row_conflict',
      perform: async () => {
        const { op, values, row_id: id = '' } = body
        const row =
          op === 'update'
            ? await changeRowById(trx, table, { id, values, byRun: run.id })
            : await addRow(trx, table, { values, chatroomId: null, byRun: run.id })
        if (!row) throw notFound()
        const applied_at = deps.clock.now().toISOString()
        return { op, row_id: row.id, version: row.version, status: 'applied', applied_at } as const
      },
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
