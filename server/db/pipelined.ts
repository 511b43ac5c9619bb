import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { allEnded } from '../base/all-ended.ts'
import type { Database, Sending } from './database.ts'

/** The two halves of a transaction; each sends all its statements before it waits for any of them. */
export interface Halves<Read, Result> {
  /** Only looks and locks: it is sent along with the beginning of the transaction. */
  read: (trx: Sending) => Promise<Read>
  /**
   * May change things, in one statement: the end of the transaction is sent along with it. What comes after that is
   * refused with an error.
   */
  write: (trx: Sending, read: Read) => Promise<Result>
}

/**
 * A transaction of two ways to the database and back, however many statements it has: each is sent without waiting for
 * those before it. They are done in the order in which they were sent, each on what was committed when its turn came,
 * so a look sees what a lock before it waited for. Rejects with nothing changed when a statement fails.
 */
export const pipelined = <Read, Result>(
  db: Database,
  { read, write }: Halves<Read, Result>,
): Promise<Result> =>
  db.getExecutor().provideConnection(async (connection) => {
    const { trx, close } = sendingOn(db, connection)
    const send = (text: string) => connection.executeQuery(CompiledQuery.raw(text))
    try {
      const [, found] = await allEnded([send('begin'), read(trx)])
      const written = write(trx, found)
      close()
      const [result] = await allEnded([written, send('commit')])
      return result
    } catch (error) {
      // A connection over which this cannot be sent is lost, and the transaction with it.
      await send('rollback').catch(() => undefined)
      throw error
    }
  })

/**
 * Kysely's own transactions send a statement when the one before it is answered. Sends none once it is closed, since that
 * would be done outside the transaction.
 */
function sendingOn(db: Database, connection: DatabaseConnection): { trx: Sending; close: () => void } {
  let open = true
  const executor = db.getExecutor().withConnectionProvider({
    provideConnection: async (work) => {
      if (!open) throw new Error('a statement was asked for after the end of its pipelined transaction')
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
