import type { RepeatedWrites, WriteIntent } from '../../access/repeated-writes.ts'
import type { Database } from '../../db/database.ts'
import { earlierResponse, intentScope, once } from './idempotency.ts'

/** The keys of repeated writes are where those of submissions are. */
export function repeatedWritesOf(db: Database): RepeatedWrites {
  const intentOf = ({ principal, route, key, requestHash, formerRequestHash }: WriteIntent) => ({
    scope: intentScope(principal, route, key),
    requestHash,
    formerRequestHash,
  })
  return {
    earlier: (intent) => earlierResponse(db, intentOf(intent)),
    once: (intent, work) => once(db, intentOf(intent), work),
  }
}
