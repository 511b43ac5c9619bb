import { atDatabase } from '../../base/current-request.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Database, Trx } from '../../db/database.ts'
import { SerialByKey } from '../../fairness/serial-by-key.ts'

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
