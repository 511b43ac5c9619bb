import { findingHistoryDays } from '@sandbox-jobs/contract/limits.ts'
import { type Clock, dayMs } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import { inBatches } from '../work/sweep.ts'
import {
  deleteOldExceptions,
  endException,
  listActiveExceptions,
  listOverdueExceptions,
} from './exception-store.ts'
import { deleteOldFindings, listOrphaned, lockFinding, moveFinding } from './finding-store.ts'

const batch = 200
const removalBatch = 1000

/**
 * Ends expired exceptions, closes the findings of archived environments with their exceptions, and removes what has been
 * over for `findingHistoryDays`. One bounded iteration, safe in several processes.
 */
export async function sweepFindings(deps: {
  db: Database
  clock: Clock
}): Promise<
  Record<'exceptionsExpired' | 'findingsClosed' | 'exceptionsRemoved' | 'findingsRemoved', number>
> {
  const { db, clock } = deps
  const counts = { exceptionsExpired: 0, findingsClosed: 0, exceptionsRemoved: 0, findingsRemoved: 0 }
  for (const exception of await listOverdueExceptions(db, clock.now(), batch)) {
    await db.transaction().execute(async (trx) => {
      const finding = await lockFinding(trx, keyOf(exception, exception.finding_id))
      if (!finding || (await endException(trx, exception, 'expired')) === undefined) return
      await moveFinding(trx, finding, 'discovered', { from: ['excepted'] })
      counts.exceptionsExpired += 1
    })
  }
  for (const finding of await listOrphaned(db, batch)) {
    await db.transaction().execute(async (trx) => {
      if (!(await lockFinding(trx, keyOf(finding, finding.id)))) return
      for (const exception of await listActiveExceptions(trx, finding.company_id, [finding.id])) {
        await endException(trx, exception, 'expired')
      }
      if ((await moveFinding(trx, finding, 'closed')) !== undefined) counts.findingsClosed += 1
    })
  }
  const before = new Date(clock.now().getTime() - findingHistoryDays * dayMs)
  const remove = (deleteOld: typeof deleteOldFindings) =>
    inBatches(removalBatch, (limit) => db.transaction().execute((trx) => deleteOld(trx, before, limit)))
  counts.exceptionsRemoved = await remove(deleteOldExceptions)
  counts.findingsRemoved = await remove(deleteOldFindings)
  return counts
}

const keyOf = (of: { company_id: string; environment_id: string }, findingId: string) => ({
  companyId: of.company_id,
  environmentId: of.environment_id,
  findingId,
})
