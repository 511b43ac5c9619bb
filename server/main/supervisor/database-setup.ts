import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Config } from '../../base/config.ts'
import { type Account, asAccount } from '../../postgres/account.ts'
import { serviceRoles } from '../../postgres/bootstrap-store.ts'
import { exitCodes, knownExitCode, ServiceProblem } from './service-problem.ts'

/** Addresses of one database: for the owner of its schema, and for the roles of API and worker. */
export interface DatabaseUrls {
  owner: string
  api: string
  worker: string
}

/** Those of an external database; undefined when there is none. Without roles of their own, API and worker are the owner. */
export function externalUrls(config: Config): DatabaseUrls | undefined {
  const { databaseUrl: owner, apiDatabaseUrl: api, workerDatabaseUrl: worker } = config
  if (!owner && !api && !worker) return undefined
  if (owner && !api && !worker) return { owner, api: owner, worker: owner }
  if (owner && api && worker) return { owner, api, worker }
  throw new ServiceProblem(
    exitCodes.configuration,
    'SANDBOX_API_DATABASE_URL and SANDBOX_WORKER_DATABASE_URL go together, and with DATABASE_URL, which owns the schema',
  )
}

export interface DatabaseSetup {
  /** Runs `prepare-database`. */
  argv: string[]
  /** As whom; not as root, to whom a database has nothing to say. */
  account: Account | undefined
  env: (ownerUrl: string) => NodeJS.ProcessEnv
  onLine: (line: string) => void
  /** Breaks it off, which leaves the schema at a version. */
  signal: AbortSignal
}

/** Brings the database to the schema of this program and its roles to their rights. */
export async function setUpDatabase(setup: DatabaseSetup, urls: DatabaseUrls): Promise<void> {
  const roles = rolesOf(urls)
  const [command = '', ...args] = asAccount(setup.account, [...setup.argv, ...roles], 'TERM')
  const child = spawn(command, args, {
    cwd: '/',
    env: setup.env(urls.owner),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: setup.signal,
  })
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', setup.onLine)
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  if (code === 0 || setup.signal.aborted) return
  throw new ServiceProblem(
    knownExitCode(code) ?? exitCodes.failed,
    'the database could not be prepared (its own words are above)',
  )
}

function rolesOf({ owner, api, worker }: DatabaseUrls): string[] {
  if (api === owner || worker === owner) return []
  const nameOf = (url: string) => decodeURIComponent(new URL(url).username)
  return ['--api', nameOf(api) || serviceRoles.api, '--worker', nameOf(worker) || serviceRoles.worker]
}
