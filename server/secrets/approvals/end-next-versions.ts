import type { Database, Trx } from '../../db/database.ts'
import { endAtVersion, endDue } from './next-versions-store.ts'

/** Where a version is published, in this transaction: approvals whose author or slots it does not have cover no next versions any more. */
export const endNextVersionsAt = async (
  trx: Trx,
  version: { id: string; task_id: string; company_id: string },
): Promise<void> => void (await endAtVersion(trx, version))

/** Approvals that a round looks at. */
const perRound = 1000

/**
 * Rounds that record in approvals and in the audit log which no longer cover next versions, a part of them in each. Nothing waits for it:
 * each claim decides by itself.
 */
export function sweepNextVersions(
  { db }: { db: Database },
  limit = perRound,
): () => Promise<{ ended: number }> {
  let after = ''
  return async () => {
    const { looked, last, ended } = await endDue(db, { after, limit })
    after = looked < limit ? '' : last
    return { ended }
  }
}
