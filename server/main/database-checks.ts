import type { Config } from '../base/config/config.ts'
import type { Database } from '../db/database.ts'
import { readConnectionLimit, sharesServerProcesses } from '../db/server-limits.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

type Connecting = Pick<Config, 'databasePoolSize' | 'operatorListen' | 'backupFolder' | 'backupWalBytes'>

/** API, worker and builds: each has a pool, and a listener of notifications. */
const pools = 3
/** For the set-up at a start and for commands of operators. */
const spare = 3
/** `superuser_reserved_connections` of the embedded Postgres. */
const reserved = 3
const embeddedLeast = 60
/** The least that SANDBOX_DATABASE_POOL_SIZE may be. */
const leastPool = 4

/** Connections of all processes besides their pools. */
const besidePools = ({ operatorListen, backupFolder, backupWalBytes }: Connecting): number =>
  pools +
  spare +
  (operatorListen === undefined ? 0 : 2) +
  (backupFolder === undefined ? 0 : 2) +
  (backupWalBytes === undefined ? 0 : 1)

/** Connections that all processes of the service may have at once. */
export const connectionsNeeded = (config: Connecting): number =>
  pools * config.databasePoolSize + besidePools(config)

/** Settings of the embedded Postgres that allow as many. */
export const enoughConnections = (config: Connecting): { max_connections: string } => ({
  max_connections: String(Math.max(embeddedLeast, connectionsNeeded(config) + reserved)),
})

/** Throws `ServiceProblem` if Postgres allows fewer connections than all processes may have. */
export async function checkConnections(db: Database, config: Connecting): Promise<void> {
  const limit = await readConnectionLimit(db)
  const needed = connectionsNeeded(config)
  if (needed <= limit) return
  const fitting = Math.floor((limit - besidePools(config)) / pools)
  throw new ServiceProblem(
    exitCodes.configuration,
    `the service may use ${needed} connections to the database, which allows ${limit}: set ${
      fitting >= leastPool ? `SANDBOX_DATABASE_POOL_SIZE to ${fitting} or less, or ` : ''
    }max_connections of Postgres (and CONNECTION LIMIT of the database, if it has one) to ${needed - limit} more`,
  )
}

/** Throws `ServiceProblem` if a pooler in front of Postgres does not give each connection a session of its own. */
export async function checkSessions(db: Database): Promise<void> {
  if (!(await sharesServerProcesses(db))) return
  throw new ServiceProblem(
    exitCodes.configuration,
    'the database is behind a pooler of transactions, which loses the locks, settings and notifications of a session: set its pool_mode to session, or connect to Postgres itself',
  )
}
