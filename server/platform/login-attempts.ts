import type { Clock } from '../base/clock.ts'

/** Counted in the time that attempts cost, because whole milliseconds add up exactly. */
interface Bucket {
  creditMs: number
  countedAtMs: number
}

interface Allowance {
  burst: number
  refillMs: number
}

/** One client may fail five times, then once a minute; all clients together fifty times, then once in ten seconds. */
const perClient: Allowance = { burst: 5, refillMs: 60_000 }
const perLogin: Allowance = { burst: 50, refillMs: 10_000 }
const bucketsMax = 10_000

/**
 * How often a login name may be tried. An attempt is paid for before the password is looked at, so that parallel
 * guesses count too, and a right password gets it back. Both the pair of login and client address and the login
 * alone have a bucket: guesses from elsewhere slow a user down only when there are a great many.
 *
 * Kept in memory, per process: each further api process multiplies the allowance by one. Names that do not exist
 * are counted like others. When there are too many buckets the oldest goes: to win five guesses that way costs
 * five thousand attempts, each a password hash.
 */
export class LoginAttempts {
  readonly #buckets = new Map<string, Bucket>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes one attempt; answers the seconds to wait when there is none left, else 0. */
  take(login: string, client: string): number {
    const buckets = this.#pair(login, client)
    const waitMs = Math.max(
      ...buckets.map(([bucket, allowance]) => Math.max(0, allowance.refillMs - bucket.creditMs)),
    )
    if (waitMs > 0) return Math.ceil(waitMs / 1000)
    for (const [bucket, allowance] of buckets) bucket.creditMs -= allowance.refillMs
    return 0
  }

  /** The attempt was the right password: it does not count. */
  giveBack(login: string, client: string): void {
    for (const [bucket, allowance] of this.#pair(login, client)) {
      bucket.creditMs = Math.min(allowance.burst * allowance.refillMs, bucket.creditMs + allowance.refillMs)
    }
  }

  #pair(login: string, client: string): [Bucket, Allowance][] {
    return [
      [this.#bucket(`client ${client} ${login}`, perClient), perClient],
      [this.#bucket(`login ${login}`, perLogin), perLogin],
    ]
  }

  #bucket(name: string, { burst, refillMs }: Allowance): Bucket {
    const nowMs = this.#clock.now().getTime()
    const fullMs = burst * refillMs
    const found = this.#buckets.get(name) ?? { creditMs: fullMs, countedAtMs: nowMs }
    const bucket = {
      creditMs: Math.min(fullMs, found.creditMs + nowMs - found.countedAtMs),
      countedAtMs: nowMs,
    }
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= bucketsMax) break
      this.#buckets.delete(oldest)
    }
    return bucket
  }
}
