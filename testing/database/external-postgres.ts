import { sql } from 'kysely'
import { sleep } from '../../server/base/clock.ts'
import { createLog } from '../../server/base/logging.ts'
import { connect } from '../../server/db/database.ts'
import { startPostgres } from '../../server/postgres/postgres.ts'

/** A Postgres that no service starts or stops. */
export interface ExternalPostgres {
  url: string
  query<Row>(text: string): Promise<Row[]>
  /** Stops the server, and starts it again after a while. */
  interrupt(forMs: number): Promise<void>
  stop(): Promise<void>
}

export async function startExternalPostgres(dataDir: string): Promise<ExternalPostgres> {
  let postgres = await startPostgres({ dataDir })
  const db = connect(postgres.url, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  return {
    url: postgres.url,
    query: async <Row>(text: string) => (await sql.raw<Row>(text).execute(db)).rows,
    interrupt: async (forMs) => {
      await postgres.stop()
      await sleep(forMs)
      postgres = await startPostgres({ dataDir })
    },
    stop: async () => {
      await db.destroy()
      await postgres.stop()
    },
  }
}
