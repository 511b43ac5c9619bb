import { type FindingState, openFindingStates } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Database } from '../db/database.ts'
import { endException, listActiveExceptions } from './exception-store.ts'
import { clearBlock, lockAnyFinding, moveFinding } from './finding-store.ts'

const blockable: readonly string[] = openFindingStates.filter((state) => state !== 'blocked')

/**
 * Blocks a finding for the operator, so that no exception can be created for it, in later versions neither. An active exception
 * ends. Returns the previous state, or undefined if the current version of the environment does not have the finding.
 */
export const blockFinding = (db: Database, id: string, reason: string): Promise<FindingState | undefined> =>
  db.transaction().execute(async (trx) => {
    const finding = await lockAnyFinding(trx, id)
    if (!finding || !blockable.includes(finding.state)) return undefined
    for (const exception of await listActiveExceptions(trx, finding.company_id, [id])) {
      await endException(trx, exception, 'revoked')
    }
    return moveFinding(trx, finding, 'blocked', { blockReason: reason })
  })

/** Unblocks a finding, also one that is resolved. Returns the previous state, or undefined if it is not blocked. */
export const unblockFinding = (db: Database, id: string): Promise<FindingState | undefined> =>
  db.transaction().execute(async (trx) => {
    const finding = await lockAnyFinding(trx, id)
    if (!finding) return undefined
    if (await clearBlock(trx, finding)) return 'resolved'
    return moveFinding(trx, finding, 'discovered', { from: ['blocked'] })
  })
