import { type Settings, text } from './setting.ts'

/** System users of the processes. */
export interface AccountConfig {
  /** When the supervisor is root: the system user whose group API and worker share, for access to objects. */
  serviceUser: string
  /** When the supervisor is root: the system users of the single processes. */
  apiUser: string
  workerUser: string
  postgresUser: string
  readerUser: string
  operatorUser: string
}

const userName = text(/^[a-z_][a-z0-9_-]{0,31}$/, 'a user name')

export const accountSettings: Settings<AccountConfig> = {
  serviceUser: {
    env: 'SANDBOX_SERVICE_USER',
    description: 'system user whose group API and worker share; prefix of the names of the other users',
    fallback: () => 'sandbox-jobs',
    ...userName,
  },
  apiUser: {
    env: 'SANDBOX_API_USER',
    description: 'system user of the API; default SANDBOX_SERVICE_USER-api',
    fallback: (read) => `${read.serviceUser}-api`,
    ...userName,
  },
  workerUser: {
    env: 'SANDBOX_WORKER_USER',
    description: 'system user of the worker; default SANDBOX_SERVICE_USER-worker',
    fallback: (read) => `${read.serviceUser}-worker`,
    ...userName,
  },
  postgresUser: {
    env: 'SANDBOX_POSTGRES_USER',
    description: 'system user of the embedded Postgres; default SANDBOX_SERVICE_USER-postgres',
    fallback: (read) => `${read.serviceUser}-postgres`,
    ...userName,
  },
  readerUser: {
    env: 'SANDBOX_READER_USER',
    description: 'system user of archive readers; default SANDBOX_SERVICE_USER-reader',
    fallback: (read) => `${read.serviceUser}-reader`,
    ...userName,
  },
  operatorUser: {
    env: 'SANDBOX_OPERATOR_USER',
    description: 'system user of the operator console; default SANDBOX_SERVICE_USER-operator',
    fallback: (read) => `${read.serviceUser}-operator`,
    ...userName,
  },
}
