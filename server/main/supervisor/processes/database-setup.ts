import type { Config } from '../../../base/config/config.ts'
import type { Account } from '../../../postgres/account.ts'
import { serviceRoles } from '../../../postgres/bootstrap-store.ts'
import { runOnce } from './one-time-process.ts'

/** Addresses of one database: for the schema owner and the role of each process. */
export interface DatabaseUrls {
  owner: string
  api: string
  worker: string
  operator: string
}

/** Addresses of an external database; undefined if there is none. Without separate roles, all processes log in as the owner. */
export function externalUrls(config: Config): DatabaseUrls | undefined {
  const {
    databaseUrl: owner,
    apiDatabaseUrl: api,
    workerDatabaseUrl: worker,
    operatorDatabaseUrl: operator,
  } = config
  return owner
    ? { owner, api: api ?? owner, worker: worker ?? owner, operator: operator ?? owner }
    : undefined
}

export interface DatabaseSetup {
  /** Runs `prepare-database`. */
  argv: string[]
  /** The account to run as. Not root, which has no rights in the database. */
  account: Account | undefined
  env: (ownerUrl: string) => NodeJS.ProcessEnv
  onLine: (line: string) => void
  /** Aborts it; the schema then stays at a complete version. */
  signal: AbortSignal
}

/** Migrates the database to the schema of this program and grants its roles their rights. */
export async function setUpDatabase(setup: DatabaseSetup, urls: DatabaseUrls): Promise<void> {
  const { argv, account, onLine, signal } = setup
  const setUp = { argv: [...argv, ...rolesOf(urls)], account, env: setup.env(urls.owner), onLine }
  await runOnce(setUp, 'the database could not be prepared', signal)
}

function rolesOf({ owner, api, worker, operator }: DatabaseUrls): string[] {
  if (api === owner || worker === owner) return []
  const nameOf = (url: string) => decodeURIComponent(new URL(url).username)
  return [
    ...['--api', nameOf(api) || serviceRoles.api, '--worker', nameOf(worker) || serviceRoles.worker],
    ...(operator === owner ? [] : ['--operator', nameOf(operator) || serviceRoles.operator]),
  ]
}
