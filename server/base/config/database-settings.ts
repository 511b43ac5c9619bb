import { integer, type Settings, text } from './setting.ts'

/** The database. */
export interface DatabaseConfig {
  /** External Postgres; absent: the embedded one. */
  databaseUrl: string | undefined
  /** The same database through separate roles with fewer rights; absent: `databaseUrl`. */
  apiDatabaseUrl: string | undefined
  workerDatabaseUrl: string | undefined
  operatorDatabaseUrl: string | undefined
  databasePoolSize: number
}

const databaseAddress = text(/^postgres(ql)?:\/\/\S+$/, 'a postgres:// address')

export const databaseSettings: Settings<DatabaseConfig> = {
  databaseUrl: {
    env: 'DATABASE_URL',
    description: 'external Postgres 15 or later; default the embedded one',
    fallback: () => undefined,
    ...databaseAddress,
  },
  apiDatabaseUrl: {
    env: 'SANDBOX_API_DATABASE_URL',
    description: 'external Postgres with a role for the API only; default DATABASE_URL',
    fallback: () => undefined,
    ...databaseAddress,
  },
  workerDatabaseUrl: {
    env: 'SANDBOX_WORKER_DATABASE_URL',
    description: 'external Postgres with a role for the worker only; default DATABASE_URL',
    fallback: () => undefined,
    ...databaseAddress,
  },
  operatorDatabaseUrl: {
    env: 'SANDBOX_OPERATOR_DATABASE_URL',
    description: 'external Postgres with a role for the operator console only; default DATABASE_URL',
    fallback: () => undefined,
    ...databaseAddress,
  },
  databasePoolSize: {
    env: 'SANDBOX_DATABASE_POOL_SIZE',
    description: 'database connections of one process',
    fallback: () => 12,
    ...integer(4, 200),
  },
}
