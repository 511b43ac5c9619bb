import pg from 'pg'
import { sleep } from '../base/clock.ts'

/** Owner of the schema, for migrations and the operator's commands. */
const owner = 'sandbox_jobs'
/** Roles of the processes. They own nothing, so none of their statements can change the schema or their rights. */
export const serviceRoles = {
  api: 'sandbox_jobs_api',
  worker: 'sandbox_jobs_worker',
  operator: 'sandbox_jobs_operator',
}
const connectTimeoutMs = 5_000
const readyTimeoutMs = 60_000
const readyPauseMs = 20

/** Codes of a refused login that only means "not created yet": no such role, wrong password, no such database. */
const notMadeYet = new Set(['28000', '28P01', '3D000'])
/** The server is starting, or recovering after a crash. */
const notReadyYet = new Set(['ECONNREFUSED', '57P03'])

export interface Login {
  port: number
  password: string
  apiPassword: string
  workerPassword: string
  operatorPassword: string
  superuserPassword: string
}

export interface ServiceUrls {
  api: string
  worker: string
  operator: string
}

const urlOf = (role: string, password: string, port: number): string =>
  `postgres://${role}:${password}@127.0.0.1:${port}/${owner}`

/** Address of the service's own database for the owner of its schema, who is not a superuser. */
export const databaseUrl = (login: Pick<Login, 'port' | 'password'>): string =>
  urlOf(owner, login.password, login.port)

/** The same for the superuser, for work on the cluster itself. */
export const superuserUrl = ({
  port,
  superuserPassword,
}: Pick<Login, 'port' | 'superuserPassword'>): string =>
  `postgres://postgres:${superuserPassword}@127.0.0.1:${port}/postgres`

/** The same for the roles of the processes. */
export const serviceUrls = (login: Omit<Login, 'password' | 'superuserPassword'>): ServiceUrls => ({
  api: urlOf(serviceRoles.api, login.apiPassword, login.port),
  worker: urlOf(serviceRoles.worker, login.workerPassword, login.port),
  operator: urlOf(serviceRoles.operator, login.operatorPassword, login.port),
})

/**
 * Resolves once the service's roles can use its database, and creates missing ones. Rejects when `signal` fires, and
 * after a minute without a response.
 */
export async function awaitDatabase(login: Login, signal: AbortSignal): Promise<void> {
  const giveUpAtMs = performance.now() + readyTimeoutMs
  for (;;) {
    signal.throwIfAborted()
    const code = await tryLogins([databaseUrl(login), ...Object.values(serviceUrls(login))])
    if (code === undefined) return
    if (notMadeYet.has(code)) await makeDatabase(login)
    else if (!notReadyYet.has(code)) throw new Error(`the database refuses its service (${code})`)
    else await sleep(readyPauseMs, signal)
    if (performance.now() > giveUpAtMs)
      throw new Error(`the database was not ready after ${readyTimeoutMs / 1000} s`)
  }
}

/** The error code of the first login that fails. */
async function tryLogins(addresses: string[]): Promise<string | undefined> {
  for (const address of addresses) {
    const code = await tryLogin(address)
    if (code !== undefined) return code
  }
  return undefined
}

/** Logs in and out again: the error code of a failure, of Postgres or of the connection. */
export async function tryLogin(connectionString: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Repeatable: after a crash between two statements the next start completes the rest. */
async function makeDatabase(login: Login): Promise<void> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: login.port,
    user: 'postgres',
    password: login.superuserPassword,
    database: 'postgres',
    connectionTimeoutMillis: connectTimeoutMs,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    const exists = async (sql: string, name: string) => (await client.query(sql, [name])).rowCount === 1
    const makeRole = async (name: string, rights: string, password: string) => {
      if (!(await exists('select 1 from pg_roles where rolname = $1', name)))
        await client.query(`create role ${name} login ${rights}`)
      await client.query(`alter role ${name} password ${client.escapeLiteral(password)}`)
    }
    await makeRole(owner, 'createdb', login.password)
    await makeRole(serviceRoles.api, '', login.apiPassword)
    await makeRole(serviceRoles.worker, '', login.workerPassword)
    await makeRole(serviceRoles.operator, '', login.operatorPassword)
    if (!(await exists('select 1 from pg_database where datname = $1', owner))) {
      await client.query(`create database ${owner} owner ${owner}`)
    }
    await client.query(`revoke all on database ${owner} from public`)
    await client.query(`grant connect on database ${owner} to ${Object.values(serviceRoles).join(', ')}`)
  } finally {
    await client.end().catch(() => {})
  }
}
