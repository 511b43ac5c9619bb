import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientName, newestClient } from '../../postgres/client-programs.ts'
import { runningPostgresUrl } from '../../postgres/running.ts'
import { actOnService, type Outcome, refuse } from './local-service.ts'

export type { ClientName } from '../../postgres/client-programs.ts'

/** A client program, and the environment in which it finds the embedded database. */
export interface DatabaseClient {
  program: string
  env: NodeJS.ProcessEnv
}

/** The client program of that name for the embedded database, as the owner of the schema. The audit log has its start. */
export async function databaseClient(name: ClientName): Outcome<DatabaseClient> {
  const outcome = await actOnService({ act: name }, async ({ config: { databaseUrl, dataDir } }) => {
    if (databaseUrl !== undefined)
      return refuse('service', `the database is that of DATABASE_URL: call ${name} with this address`)
    const postgresDir = join(dataDir, 'postgres')
    const client = await newestClient(name)
    const server = Number(readFileSync(join(postgresDir, 'cluster/PG_VERSION'), 'utf8'))
    const wanted = `install postgresql-client-${server} from apt.postgresql.org`
    if (!client) {
      const debian = name === 'psql' ? 'install the package postgresql-client' : wanted
      return refuse('service', `there is no ${name} on this machine: ${debian}`)
    }
    if (name === 'pg_dump' && client.major < server) {
      return refuse(
        'service',
        `pg_dump ${client.major} dumps no Postgres ${server}: ${wanted}, or use sandbox operator backup`,
      )
    }
    const url = await runningPostgresUrl(postgresDir)
    if (url === undefined) return refuse('service', 'the embedded database was never started')
    return { ok: true as const, value: { program: client.path, env: environmentOf(new URL(url)) } }
  })
  return outcome.ok ? outcome.value : outcome
}

/** Not as arguments, which every user of the machine can read. */
const environmentOf = ({ hostname, port, username, password, pathname }: URL): NodeJS.ProcessEnv => ({
  ...{ PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
  PGDATABASE: pathname.slice(1),
})
