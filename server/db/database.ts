import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../base/logging.ts'
import { nameStatements } from './named-statements.ts'
import { writeTogether } from './one-write.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>
/** A store function takes either: alone, or inside a caller's transaction. */
export type Executing = Database | Transaction<Tables>
export type { Transaction } from 'kysely'
export type Trx = Transaction<Tables>
/** What a prepared statement needs: any of these, or a transaction that is `pipelined`. */
export type Sending = Pick<Database, 'getExecutor'>

const int8 = 20

/** Byte counts and fences stay below 2^53, so eight-byte integers are read as numbers. */
pg.types.setTypeParser(int8, Number)

/**
 * A connection keeps the plans of its statements, those too that it made while a table was short. So none may walk a
 * table that an index leads into: cheap on an empty queue, it would be a claim of half a minute once the queue is long.
 */
const planning = '-c enable_seqscan=off'

/**
 * Where to connect, with our options of a session behind those that the address brings: of two settings of one name the
 * later holds.
 */
function planned(url: string): { connectionString: string; options: string } {
  if (!URL.canParse(url)) return { connectionString: url, options: planning }
  const address = new URL(url)
  const theirs = address.searchParams.get('options')
  if (theirs === null) return { connectionString: url, options: planning }
  address.searchParams.delete('options')
  return { connectionString: address.href, options: `${theirs} ${planning}` }
}

export function connect(url: string, options: { poolSize: number; log: Log; name: string }): Database {
  const pool = new pg.Pool({
    ...planned(url),
    max: options.poolSize,
    application_name: `sandbox-jobs ${options.name}`,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    // A statement is sent when it is asked for, even if one before it is under way on its connection.
    pipeline: true,
  })
  pool.on('connect', nameStatements)
  pool.on('connect', writeTogether)
  // Whoever holds a connection that breaks learns of it by the next statement; unheard, this would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => options.log.warn({ error: error.message }, 'idle database connection lost'))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** True when the error is a violation of the named unique constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint

/**
 * Classes and codes of Postgres that say the server is going, coming, full, out of disk, or took too long (its appendix A).
 */
const serverAway = /^(08...|53...|57014|57P0[123]|58030|25P03)$/
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
/** The driver's own words: it gives these failures no code. */
const driverWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** True when the database did nothing for a reason of its own, or did not answer: the same statement may well succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return serverAway.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  if (driverWords.test(error.message)) return true
  const { code, syscall } = error as NodeJS.ErrnoException
  return connectionCodes.has(code ?? '') && ['connect', 'read', 'write'].includes(syscall ?? '')
}
