import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { authorize, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { atDatabase } from '../../base/current-request.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import { SerialByKey } from '../../fairness/serial-by-key.ts'
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

const waitMs = 10_000
const serial = new SerialByKey()

/**
 * Does work whose transaction locks the table, after the work of this process that did so before. Thus requests that wait
 * for one table hold one connection to the database together. Throws `database_unavailable` after 10 s.
 */
export async function serializeByTable<T>(tableId: string, work: () => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(waitMs)
  const end = await atDatabase(() => serial.take(tableId, late)).catch((error: unknown) => {
    throw late.aborted ? new CodedError('database_unavailable') : error
  })
  try {
    return await work()
  } finally {
    end()
  }
}

/** A transaction that locks the table, in its turn. */
export const inTableTransaction = <T>(
  db: Database,
  tableId: string,
  work: (trx: Trx) => Promise<T>,
): Promise<T> => serializeByTable(tableId, () => db.transaction().execute(work))
