import type { FindingState } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Database } from '../db/database.ts'
import { endException, listActiveExceptions } from './exception-store.ts'
import { lockAnyFinding, moveFinding } from './finding-store.ts'

/**
 * Blocks a finding for the operator, so that no exception can be created for it. An active exception ends. Returns
 * the previous state, or undefined if the current version of the environment does not have the finding.
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

/** Unblocks a finding. Undefined if it is not blocked. */
export const unblockFinding = (db: Database, id: string): Promise<FindingState | undefined> =>
  db.transaction().execute(async (trx) => {
    const finding = await lockAnyFinding(trx, id)
    return finding && moveFinding(trx, finding, 'discovered', { from: ['blocked'] })
  })
