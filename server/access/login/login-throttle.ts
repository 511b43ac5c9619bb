import { createHmac } from 'node:crypto'
import { networkOf } from '../../base/addresses/network-of.ts'
import type { Clock } from '../../base/clock.ts'
import type { MacKeys } from '../../base/keys/rotated-key.ts'
import type { Database } from '../../db/database.ts'
import type { UserCredential } from '../authentication/credential-store.ts'
import type { HashOwner } from './hashing.ts'
import { isKnownAddress, type LoginAddress, rememberAddress } from './login-address-store.ts'
import { type Bucket, giveBackToEach, takeOfEach, waitMsOf } from './login-attempt-store.ts'

/** One login from one address. */
const ofPair = { burst: 5, refillMs: 60_000 }
/** One login from all unknown addresses together. */
const ofLogin = { burst: 50, refillMs: 10_000 }
/** All logins from one unknown address. */
const ofAddress = { burst: 100, refillMs: 2000 }

/** One attempt: the buckets that count it, and the address to remember after a successful login. */
export interface LoginTry {
  buckets: Bucket[]
  /** Hashing time is charged to the address. */
  hashOwner: HashOwner
  from: LoginAddress | undefined
}

/**
 * Limits login attempts. Attempts are counted in Postgres, so that all API processes share the counts. Only attempts
 * whose password is hashed count, so refused requests lock nobody out. A correct password gets its attempt back.
 *
 * A user and an address from which this user has logged in before have a separate count, so that guesses from
 * elsewhere, however many, do not lock the user out. All other addresses share one limit per login, which stops a
 * guesser with many addresses. Each unknown address also has a limit over all logins. Unknown logins are counted like
 * existing ones. For IPv6 an address means its /64 network.
 */
export class LoginThrottle {
  readonly #db: Database
  readonly #clock: Clock
  readonly #keys: MacKeys

  /** `keys` is `keys.derive('login-attempt')`. Rows contain neither logins nor addresses; a rotation starts new counts. */
  constructor(options: { db: Database; clock: Clock; keys: MacKeys }) {
    this.#db = options.db
    this.#clock = options.clock
    this.#keys = options.keys
  }

  async begin(login: string, client: string, user: UserCredential | undefined): Promise<LoginTry> {
    const address = networkOf(client)
    const addressKey = this.#hash('address', address)
    const from = user && { companyId: user.company_id, userId: user.id, addressKey }
    const pair = { key: this.#hash('pair', address, login), ...ofPair }
    // Queried for an unknown login too, so that the cost is the same.
    const isKnown = await isKnownAddress(this.#db, from ?? { companyId: '', userId: '', addressKey })
    const hashOwner = { id: address, isKnown }
    if (isKnown) return { buckets: [pair], hashOwner, from }
    const strangers = [
      { key: this.#hash('login', login), ...ofLogin },
      { key: addressKey, ...ofAddress },
    ]
    return { buckets: [pair, ...strangers], hashOwner, from }
  }

  /** Seconds until the attempt is allowed. 0 if it is allowed now. */
  async waitSeconds({ buckets }: LoginTry): Promise<number> {
    return Math.ceil((await waitMsOf(this.#db, buckets, this.#clock.now())) / 1000)
  }

  /**
   * Counts the attempt. Call it right before the password is hashed. False if concurrent attempts have used the last
   * one.
   */
  take({ buckets }: LoginTry): Promise<boolean> {
    return takeOfEach(this.#db, buckets, this.#clock.now())
  }

  /** Call it after a correct password. */
  async succeeded({ buckets, from }: LoginTry): Promise<void> {
    await giveBackToEach(this.#db, buckets)
    if (from) await rememberAddress(this.#db, from)
  }

  #hash(...parts: string[]): Buffer {
    return createHmac('sha256', this.#keys.live()[0]).update(JSON.stringify(parts)).digest()
  }
}
