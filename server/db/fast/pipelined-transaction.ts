import { CompiledQuery, type DatabaseConnection, type QueryExecutorProvider } from 'kysely'
import { settleAll } from '../../base/settle-all.ts'
import type { Database } from '../database.ts'

/** The two halves of a transaction. Each sends all its statements before it waits for any of them. */
export interface ReadThenWrite<Read, Result> {
  /** Reads and locks only: its statements are sent together with `begin`. */
  read: (trx: QueryExecutorProvider) => Promise<Read>
  /** May write, in one statement, which is sent together with `commit`. Any later statement throws. */
  write: (trx: QueryExecutorProvider, read: Read) => Promise<Result>
}

/**
 * Runs a transaction in two round trips, however many statements it has: each statement is sent without waiting for the
 * previous ones. Postgres executes them in order, each on the data committed when it starts, so a read sees what the lock
 * before it waited for. If a statement fails, rejects with nothing changed.
 */
export const pipelinedTransaction = <Read, Result>(
  db: Database,
  { read, write }: ReadThenWrite<Read, Result>,
): Promise<Result> =>
  db.getExecutor().provideConnection(async (connection) => {
    const { trx, close } = executorOn(db, connection)
    const send = (text: string) => connection.executeQuery(CompiledQuery.raw(text))
    try {
      const [, found] = await settleAll([send('begin'), read(trx)])
      const written = write(trx, found)
      close()
      const [result] = await settleAll([written, send('commit')])
      return result
    } catch (error) {
      // If this fails the connection is lost, and the transaction with it.
      await send('rollback').catch(() => undefined)
      throw error
    }
  })

/**
 * Needed because Kysely's own transactions wait for each statement before they send the next. After `close` it sends
 * nothing, since such a statement would run outside the transaction.
 */
function executorOn(
  db: Database,
  connection: DatabaseConnection,
): { trx: QueryExecutorProvider; close: () => void } {
  let open = true
  const executor = db.getExecutor().withConnectionProvider({
    provideConnection: async (work) => {
      if (!open) throw new Error('a statement was issued after the end of its pipelined transaction')
      return work(connection)
    },
  })
  return {
    trx: { getExecutor: () => executor },
    close: () => {
      open = false
    },
  }
}
