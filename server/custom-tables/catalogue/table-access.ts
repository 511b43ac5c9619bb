import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { authorize, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { findTable, lockTable, type TableRecord } from './custom-table-store.ts'

/** The table, if the principal may do this to it. Throws `not_found`. */
export async function requireTable(
  db: Executing,
  principal: Principal,
  action: ActionOn<'owned'>,
  id: string,
): Promise<TableRecord> {
  const table = await findTable(db, principal.companyId, id)
  if (!table) throw notFound()
  authorize(principal, action, ownedBy(table))
  return table
}

/** The same for an active table that is going to change: it is locked until the transaction ends. */
export async function lockActiveTable(
  trx: Trx,
  principal: Principal,
  action: ActionOn<'owned'>,
  id: string,
): Promise<TableRecord> {
  const table = await lockTable(trx, principal.companyId, id)
  if (!table) throw notFound()
  authorize(principal, action, ownedBy(table))
  if (table.state !== 'active') throw new CodedError('custom_table_archived')
  return table
}
