import pg from 'pg'
import { sleep } from '../base/clock.ts'

const role = 'sandbox_jobs'
const connectTimeoutMs = 5_000
const readyTimeoutMs = 60_000
const readyPauseMs = 20

/** Codes of a refused login that only means "not made yet": no such role, wrong password, no such database. */
const notMadeYet = new Set(['28000', '28P01', '3D000'])
/** Starting up, or recovering after a crash. */
const notReadyYet = new Set(['ECONNREFUSED', '57P03'])

export interface Login {
  port: number
  password: string
  superuserPassword: string
}

/** Address of the service's own database, by its role without superuser rights. */
export const databaseUrl = (login: Pick<Login, 'port' | 'password'>): string =>
  `postgres://${role}:${login.password}@127.0.0.1:${login.port}/${role}`

/**
 * Resolves once the service's role can use its database; makes both when they are missing.
 * Rejects when `signal` fires, and after a minute without an answer.
 */
export async function awaitDatabase(login: Login, signal: AbortSignal): Promise<void> {
  const giveUpAtMs = performance.now() + readyTimeoutMs
  for (;;) {
    signal.throwIfAborted()
    const code = await tryLogin(databaseUrl(login))
    if (code === undefined) return
    if (notMadeYet.has(code)) await makeDatabase(login)
    else if (!notReadyYet.has(code)) throw new Error(`the database refuses its service (${code})`)
    else await sleep(readyPauseMs, signal)
    if (performance.now() > giveUpAtMs)
      throw new Error(`the database was not ready after ${readyTimeoutMs / 1000} s`)
  }
}

async function tryLogin(connectionString: string): Promise<string | undefined> {
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

/** Repeatable: a crash between two of its statements leaves nothing that the next start cannot finish. */
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
    const exists = async (sql: string) => (await client.query(sql, [role])).rowCount === 1
    if (!(await exists('select 1 from pg_roles where rolname = $1')))
      await client.query(`create role ${role} login createdb`)
    await client.query(`alter role ${role} password ${client.escapeLiteral(login.password)}`)
    if (!(await exists('select 1 from pg_database where datname = $1'))) {
      await client.query(`create database ${role} owner ${role}`)
    }
    await client.query(`revoke connect on database ${role} from public`)
  } finally {
    await client.end().catch(() => {})
  }
}
