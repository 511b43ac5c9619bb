import { sql } from 'kysely'
import { createLog } from '../../server/base/logging.ts'
import { connect } from '../../server/db/database.ts'
import { startPostgres } from '../../server/postgres/postgres.ts'

/** A Postgres that no service starts or stops. */
export interface ExternalPostgres {
  url: string
  query<Row>(text: string): Promise<Row[]>
  stop(): Promise<void>
}

export async function startExternalPostgres(dataDir: string): Promise<ExternalPostgres> {
  const postgres = await startPostgres({ dataDir })
  const db = connect(postgres.url, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  return {
    url: postgres.url,
    query: async <Row>(text: string) => (await sql.raw<Row>(text).execute(db)).rows,
    stop: async () => {
      await db.destroy()
      await postgres.stop()
    },
  }
}
