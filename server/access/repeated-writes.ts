import { canonicalDigest } from '../base/json/canonical-json.ts'
import type { Database, Trx } from '../db/database.ts'
import type { Principal } from './principal.ts'

export interface WriteIntent {
  principal: Principal
  route: string
  key: string
  requestHash: string
  /** The same under the former pepper, while that is live. */
  formerRequestHash?: string | undefined
}

/** Answers a repeated request with its first answer. Given from outside, because runs keep the keys. */
export interface RepeatedWrites {
  /** Throws `idempotency_conflict`. */
  earlier<Answer>(intent: WriteIntent): Promise<Answer | undefined>
  once<Answer extends Record<string, unknown>>(
    intent: WriteIntent,
    work: (trx: Trx) => Promise<Answer>,
  ): Promise<Answer>
}

export interface KeyedRequest {
  principal: Principal
  route: string
  /** Undefined: the caller gave none, and each request is one of its own. */
  key: string | undefined
  request: Record<string, unknown>
}

/** Executes `work` in a transaction, and once for each key. Throws `idempotency_conflict`. */
export function onceForKey<Answer extends Record<string, unknown>>(
  { db, repeats }: { db: Database; repeats: RepeatedWrites },
  { principal, route, key, request }: KeyedRequest,
  work: (trx: Trx) => Promise<Answer>,
): Promise<Answer> {
  return key === undefined
    ? db.transaction().execute(work)
    : repeats.once({ principal, route, key, requestHash: canonicalDigest(request) }, work)
}
