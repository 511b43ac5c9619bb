import { systemClock } from '../base/clock.ts'
import { inBatches } from '../queue/in-batches.ts'
import { forgetFailures, postpone } from '../queue/removal-failures.ts'
import { finishAbort, type SweepContext } from './context-abort-service.ts'
import { sweepUnused } from './unused-bytes.ts'
import { listOverdueSessions, moveSession } from './upload-session-store.ts'
import { moveVersion } from './version-moves.ts'
import { listUnretriedVersions } from './version-store.ts'

const batch = 100

/**
 * Ends what its time has run out for: upload sessions after a day, with their bytes, and failed versions after the seven
 * days in which they could be built again; and removes what broken sendings left. One bounded round, safe to run in
 * several processes; until it comes by, readers already tell by the clock.
 */
export async function sweepEnvironments(
  context: SweepContext,
): Promise<{ unusedRemoved: number; uploadsAborted: number; versionsAbandoned: number }> {
  return {
    unusedRemoved: await inBatches(batch, (limit) => sweepUnused(context, { limit })),
    uploadsAborted: await inBatches(batch, (limit) => abortOverdue(context, limit)),
    versionsAbandoned: await inBatches(batch, (limit) => abandonUnretried(context, limit)),
  }
}

/** How many have ended: one that is still sent to, or whose bytes the store keeps, is left for a later round. */
async function abortOverdue(context: SweepContext, limit: number): Promise<number> {
  const now = systemClock.now()
  const ended: string[] = []
  const failed: string[] = []
  for (const { receiving, ...key } of await listOverdueSessions(context.db, now, limit)) {
    await context.db
      .transaction()
      .execute((trx) => moveSession(trx, { id: key.sessionId, company_id: key.companyId }, 'abort_pending'))
    if (receiving) continue
    const ends = (await finishAbort(context, key)) ? ended : failed
    ends.push(key.sessionId)
  }
  await postpone(context.db, failed, now)
  await forgetFailures(context.db, ended)
  return ended.length
}

async function abandonUnretried({ db }: SweepContext, limit: number): Promise<number> {
  let abandoned = 0
  for (const version of await listUnretriedVersions(db, limit)) {
    const left = await db.transaction().execute((trx) => moveVersion(trx, version, { to: 'abandoned' }))
    if (left !== undefined) abandoned += 1
  }
  return abandoned
}
