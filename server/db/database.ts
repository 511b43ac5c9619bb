import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../base/logging.ts'
import { carryAudit } from './carry-audit.ts'
import { CommitNotifier, sendNotifications } from './commit-notifier.ts'
import { corkWrites } from './fast/cork-writes.ts'
import { nameStatements } from './fast/named-statements.ts'
import { SharedPool } from './shared-pool.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>
/** A store function takes either: alone, or inside a caller's transaction. A prepared statement needs no more than `QueryExecutorProvider`. */
export type Executing = Database | Transaction<Tables>
export type { Transaction } from 'kysely'
export type Trx = Transaction<Tables>

const int8 = 20

/** Byte counts and fences stay below 2^53, so eight-byte integers are read as numbers. */
pg.types.setTypeParser(int8, Number)

/**
 * A connection keeps the plans of its statements, including those made while a table was short. So no plan may scan a
 * table if an index applies: on an empty queue that is cheap, on a long queue a claim would take half a minute.
 */
const noScans = { enable_seqscan: 'off' }

/** Sets a session up by a statement: poolers refuse or drop settings that come with the connection itself. */
const setUpSession = (settings: Record<string, string | number>) => {
  const sets = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  const text = `select ${sets.join(', ')}`
  return (client: pg.ClientBase): void => {
    // If the connection is lost, its first user finds out.
    client.query(text).catch(() => {})
  }
}

interface ConnectOptions {
  poolSize: number
  log: Log
  name: string
  /** The longest wait for a connection, and for a lock. */
  waitMs?: number
}

export function connect(url: string, { waitMs = 10_000, ...options }: ConnectOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    application_name: `sandbox-jobs ${options.name}`,
    connectionTimeoutMillis: waitMs,
    // Send a statement even if an earlier one is in flight on its connection.
    pipeline: true,
  })
  const setUp = setUpSession({
    ...noScans,
    statement_timeout: 30_000,
    // A statement that waits for a lock holds a connection, and a tenant can lock rows that its other requests wait for.
    lock_timeout: waitMs,
    idle_in_transaction_session_timeout: 60_000,
  })
  pool.on('connect', setUp)
  pool.on('connect', nameStatements)
  pool.on('connect', corkWrites)
  pool.on('connect', carryAudit)
  // The holder of a broken connection gets an error from its next statement. Without a listener the process would exit.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => options.log.warn({ error: error.message }, 'idle database connection lost'))
  const shared = new SharedPool(pool, { waitMs, beforeEnd: () => notifier.end() })
  const notifier = new CommitNotifier(
    (notifications) => sendNotifications(shared, notifications),
    options.log,
  )
  pool.on('connect', (client) => notifier.follow(client))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: shared }) })
}

/** True when the error is a violation of the named unique constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint

/**
 * SQLSTATE classes and codes for a server that is stopping, starting, full, out of disk or too slow, and for a lock that
 * others hold too long (Postgres, appendix A).
 */
const unavailableCodes = /^(08...|53...|55P03|57014|57P0[123]|58030|25P03)$/
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
/** Messages of driver errors that have no code. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** True if the database did not answer or failed for reasons independent of the statement, which may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return unavailableCodes.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  if (driverMessages.test(error.message)) return true
  const { code, syscall } = error as NodeJS.ErrnoException
  return connectionCodes.has(code ?? '') && ['connect', 'read', 'write'].includes(syscall ?? '')
}
