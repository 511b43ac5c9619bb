import { sql } from 'kysely'
import pg from 'pg'
import type { Database, Executing } from './database.ts'

/** One is enough for a pooler without other clients. */
const rounds = 5
const protocolViolation = '08P01'

/**
 * Whether something between this process and Postgres gives a connection of ours another server process from one transaction to
 * the next, or one server process to two open connections of ours, as poolers of transactions and of statements do. Direct
 * connections and poolers of sessions never do. Takes two connections.
 */
export const sharesServerProcesses = (db: Database): Promise<boolean> =>
  compareConnections(db).catch((error: unknown) => {
    // Poolers of statements know no transactions.
    if (error instanceof pg.DatabaseError && error.code === protocolViolation) return true
    throw error
  })

const compareConnections = (db: Database): Promise<boolean> =>
  db.connection().execute((one) =>
    db.connection().execute(async (other) => {
      const own = await serverProcess(one)
      for (let round = 0; round < rounds; round += 1) {
        // Twice: a pooler that gives out its connections in turn has another one for the second.
        for (const _ of [1, 2]) if ((await serverProcess(one)) !== own) return true
        const isShared = await other.transaction().execute(async (trx) => {
          // In this order: a pooler with a single server process would not answer the second meanwhile.
          if ((await serverProcess(trx)) === own) return true
          return (await serverProcess(one)) !== own
        })
        if (isShared) return true
      }
      return false
    }),
  )

async function serverProcess(db: Executing): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return rows[0]?.pid
}

/** Connections that this role may have: those of the server without its reserved ones, or fewer for its database. */
export async function readConnectionLimit(db: Executing): Promise<number> {
  const { rows } = await sql<{ limit: number }>`
    select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    ) as "limit"`.execute(db)
  return rows[0]?.limit ?? 0
}
