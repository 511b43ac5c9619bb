import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { currentDatabaseUse } from '../base/current-request.ts'
import { ConnectionShares } from '../fairness/connection-shares.ts'
import { countPool, forgetPool } from './pool-gauge.ts'

/** The driver's own words for the same: it counts as an unavailable database. */
const tooLate = () => new Error('timeout exceeded when trying to connect')

/** Gives out the connections of a pool by who works: see `ConnectionShares`. */
export class SharedPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #shares: ConnectionShares
  readonly #waitMs: number
  readonly #beforeEnd: () => Promise<void>
  readonly options: object

  constructor(
    pool: pg.Pool,
    { waitMs, beforeEnd = async () => {} }: { waitMs: number; beforeEnd?: () => Promise<void> },
  ) {
    this.#pool = pool
    this.#beforeEnd = beforeEnd
    this.#shares = new ConnectionShares(pool.options.max)
    this.#waitMs = waitMs
    countPool(this.#shares)
    this.options = pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const use = currentDatabaseUse()
    // The owner may be named later, while this connection is in use.
    const owner = use?.owner
    if (use) use.atDatabase += 1
    const release = () => {
      if (use) use.atDatabase -= 1
    }
    try {
      if (!this.#shares.take(owner)) await this.#wait(owner)
    } catch (error) {
      release()
      throw error
    }
    const giveBack = () => {
      release()
      this.#shares.release(owner)
    }
    try {
      return releasing(await this.#pool.connect(), giveBack)
    } catch (error) {
      giveBack()
      throw error
    }
  }

  async end(): Promise<void> {
    await this.#beforeEnd()
    forgetPool(this.#shares)
    await this.#pool.end()
  }

  #wait(owner: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const given = () => {
      clearTimeout(late)
      resolve()
    }
    const late = setTimeout(() => {
      this.#shares.leave(owner, given)
      reject(tooLate())
    }, this.#waitMs)
    this.#shares.wait(owner, given)
    return promise
  }
}

/** The pool sets `release` of a client anew each time that it gives the client out. */
function releasing(client: pg.PoolClient, giveBack: () => void): PostgresPoolClient {
  const release = client.release.bind(client)
  client.release = (destroy) => {
    release(destroy)
    giveBack()
  }
  return client
}
