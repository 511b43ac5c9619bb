import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import type { UserCredential } from './credential-store.ts'
import { isKnownAddress, type LoginAddress, rememberAddress } from './login-address-store.ts'
import { type Bucket, giveBackToEach, takeOfEach, waitMsOf } from './login-attempt-store.ts'

/** Somebody who tries a login from an address. */
const ofPair = { burst: 5, refillMs: 60_000 }
/** All strangers' addresses together that try one login. */
const ofLogin = { burst: 50, refillMs: 10_000 }
/** All logins that a stranger's address tries. */
const ofAddress = { burst: 100, refillMs: 2000 }

/** One attempt: what it is counted in, and where the user is known from when it was right. */
export interface Attempt {
  buckets: Bucket[]
  /** Of whom hashing time is taken. */
  address: string
  from: LoginAddress | undefined
}

/**
 * How often a login may be tried. Attempts are counted in Postgres, so that all api processes count together, and only
 * those whose password is hashed: who is refused before that pushes nobody out. A right password gets its attempt back.
 *
 * A user and an address that has logged this user in before have a count of their own: guesses from elsewhere, however
 * many, do not keep its owner out. For all other addresses together a login has a bound too, which holds against a
 * guesser with many addresses; and so has an address for all the logins that it tries. Logins that do not exist are
 * counted as others are. An address is, of IPv6, the 64 bits that one network has.
 */
export class LoginAttempts {
  readonly #db: Database
  readonly #clock: Clock
  readonly #key: Buffer

  /** `key` is `keys.derive('login-attempt')`: rows name neither logins nor addresses. */
  constructor(options: { db: Database; clock: Clock; key: Buffer }) {
    this.#db = options.db
    this.#clock = options.clock
    this.#key = options.key
  }

  async begin(login: string, client: string, user: UserCredential | undefined): Promise<Attempt> {
    const address = networkOf(client)
    const addressKey = this.#hash('address', address)
    const from = user && { companyId: user.company_id, userId: user.id, addressKey }
    const pair = { key: this.#hash('pair', address, login), ...ofPair }
    // Asked for an unknown login too, at the same cost.
    const isKnown = await isKnownAddress(this.#db, from ?? { companyId: '', userId: '', addressKey })
    if (isKnown) return { buckets: [pair], address, from }
    const strangers = [
      { key: this.#hash('login', login), ...ofLogin },
      { key: addressKey, ...ofAddress },
    ]
    return { buckets: [pair, ...strangers], address, from }
  }

  /** Seconds until the attempt may be made, 0 when it may be now. */
  async waitSeconds({ buckets }: Attempt): Promise<number> {
    return Math.ceil((await waitMsOf(this.#db, buckets, this.#clock.now())) / 1000)
  }

  /** Counts it, right before its password is hashed; false when others have used the last one up meanwhile. */
  take({ buckets }: Attempt): Promise<boolean> {
    return takeOfEach(this.#db, buckets, this.#clock.now())
  }

  /** It was right. */
  async succeeded({ buckets, from }: Attempt): Promise<void> {
    await giveBackToEach(this.#db, buckets)
    if (from) await rememberAddress(this.#db, from)
  }

  #hash(...parts: string[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest()
  }
}

/** Whoever has an address of IPv6 has all of its network. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - behind.length)).fill('0')
  return [...groups, ...zeros, ...behind]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
