import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { carryAudit } from '../../server/db/carry-audit.ts'
import type { Database } from '../../server/db/database.ts'
import { corkWrites } from '../../server/db/fast/cork-writes.ts'
import { nameStatements } from '../../server/db/fast/named-statements.ts'
import type { Tables } from '../../server/db/tables.ts'

const waitForConnectionMs = 10_000

/**
 * A database on a single connection, inside a transaction that never commits: changes are undone when `work` ends, so
 * that a thousand requests can start from the same rows without creating them again. The service's own transactions
 * become savepoints, and so does each statement outside of one, since an error must not abort the outer transaction.
 *
 * One connection also finds code that requests a second connection while it holds the first: in production such code
 * deadlocks once the pool is exhausted. Here it fails after `waitForConnectionMs`.
 */
export class RewindingDatabase {
  readonly db: Database
  readonly #client: pg.Client
  #lent = false
  readonly #waiting: (() => void)[] = []
  #inTransaction = false

  private constructor(client: pg.Client) {
    this.#client = client
    const pool = {
      options: {},
      connect: () => this.#borrow(),
      end: () => client.end(),
    }
    this.db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  }

  static async open(url: string): Promise<RewindingDatabase> {
    const client = new pg.Client({ connectionString: url, statement_timeout: 30_000, pipeline: true })
    await client.connect()
    // As the service's own connections.
    nameStatements(client)
    corkWrites(client)
    carryAudit(client)
    await client.query('begin')
    return new RewindingDatabase(client)
  }

  /** Runs `work` and undoes its changes. */
  async rewind<T>(work: () => Promise<T>): Promise<T> {
    await this.#client.query('savepoint rewound')
    try {
      return await work()
    } finally {
      await this.#client.query('rollback to savepoint rewound; release savepoint rewound')
    }
  }

  close(): Promise<void> {
    return this.db.destroy()
  }

  async #borrow(): Promise<PostgresPoolClient> {
    if (this.#lent) await this.#untilFree()
    this.#lent = true
    const query = (text: string, values: readonly unknown[]) => this.#query(text, values)
    return { query, release: () => this.#release() } as unknown as PostgresPoolClient
  }

  #untilFree(): Promise<void> {
    return new Promise((resolve, reject) => {
      const free = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(free), 1)
        reject(new Error('a second connection is requested while the first is held'))
      }, waitForConnectionMs)
      this.#waiting.push(free)
    })
  }

  /** Passes the connection directly to the first waiter. */
  #release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#lent = false
  }

  async #query(text: string, values: readonly unknown[]): Promise<unknown> {
    if (/^(begin|start transaction)\b/.test(text)) {
      this.#inTransaction = true
      return this.#client.query('savepoint service')
    }
    if (text === 'commit' || text === 'rollback') {
      this.#inTransaction = false
      const undo = text === 'rollback' ? 'rollback to savepoint service; ' : ''
      await this.#client.query(`${undo}release savepoint service`)
      return { command: '', rows: [] }
    }
    if (this.#inTransaction) return this.#client.query(text, [...values])
    // Sent together. Behind a statement that fails, its release fails too.
    const saved = this.#client.query('savepoint statement')
    const answer = this.#client.query(text, [...values])
    const released = this.#client.query('release savepoint statement')
    const results = await Promise.allSettled([saved, answer, released])
    const failure = results.find((result) => result.status === 'rejected')
    if (!failure) return answer
    await this.#client.query('rollback to savepoint statement; release savepoint statement')
    throw failure.reason
  }
}
