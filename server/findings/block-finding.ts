import type { FindingState } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Database } from '../db/database.ts'
import { endException, listActiveExceptions } from './exception-store.ts'
import { lockAnyFinding, moveFinding } from './finding-store.ts'

/**
 * The operator's word that a finding may not be excepted; an exception that it has ends. Answers the state it left,
 * or undefined when the current version of its environment does not show it.
 */
export const blockFinding = (db: Database, id: string, reason: string): Promise<FindingState | undefined> =>
  db.transaction().execute(async (trx) => {
    const finding = await lockAnyFinding(trx, id)
    if (!finding) return undefined
    for (const exception of await listActiveExceptions(trx, finding.company_id, [id])) {
      await endException(trx, exception, 'revoked')
    }
    return moveFinding(trx, finding, 'blocked', { blockReason: reason })
  })

/** Takes that back; undefined when it is not blocked. */
export const unblockFinding = (db: Database, id: string): Promise<FindingState | undefined> =>
  db.transaction().execute(async (trx) => {
    const finding = await lockAnyFinding(trx, id)
    return finding && moveFinding(trx, finding, 'discovered', { from: ['blocked'] })
  })
