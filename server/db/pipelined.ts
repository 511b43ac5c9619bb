import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { allEnded } from '../base/all-ended.ts'
import type { Database, Sending } from './database.ts'

/** The two halves of a transaction; each sends all its statements before it waits for any of them. */
export interface Halves<Read, Result> {
  /** Only looks and locks: it is sent along with the beginning of the transaction. */
  read: (trx: Sending) => Promise<Read>
  /** May change things, in one statement: the end of the transaction is sent along with it. */
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
    const trx = sendingOn(db, connection)
    const send = (text: string) => connection.executeQuery(CompiledQuery.raw(text))
    try {
      const [, found] = await allEnded([send('begin'), read(trx)])
      const [result] = await allEnded([write(trx, found), send('commit')])
      return result
    } catch (error) {
      // A connection over which this cannot be sent is lost, and the transaction with it.
      await send('rollback').catch(() => undefined)
      throw error
    }
  })

/** Kysely's own transactions send a statement when the one before it is answered. */
function sendingOn(db: Database, connection: DatabaseConnection): Sending {
  const executor = db.getExecutor().withConnectionProvider({ provideConnection: (work) => work(connection) })
  return { getExecutor: () => executor }
}
