import { systemClock } from '../../base/clock.ts'
import { forgetFailures, postpone } from '../../work/removal.ts'
import { inBatches } from '../../work/sweep.ts'
import { finishAbort, type SweepContext } from '../uploads/context-abort-service.ts'
import { sweepUnused } from '../uploads/unused-bytes.ts'
import { listOverdueSessions, transitionSession } from '../uploads/upload-session-store.ts'
import { endOverdueHandoffs } from '../versions/runner-handoff-statement.ts'
import { listUnretriedVersions } from '../versions/version-store.ts'
import { transitionVersion } from '../versions/version-transitions.ts'

const batch = 100

/**
 * Ends expired entries: upload sessions after a day, with their bytes, and failed versions after the seven days in
 * which a build can be retried, and hand-overs to a newer runner. Removes the bytes of interrupted uploads. One bounded
 * iteration, safe in several processes. Readers already treat expired entries as ended before the sweep runs.
 */
export async function sweepEnvironments(
  context: SweepContext,
): Promise<Record<'unusedRemoved' | 'uploadsAborted' | 'versionsAbandoned' | 'handoffsEnded', number>> {
  return {
    unusedRemoved: await inBatches(batch, (limit) => sweepUnused(context, { limit })),
    uploadsAborted: await inBatches(batch, (limit) => abortOverdue(context, limit)),
    versionsAbandoned: await inBatches(batch, (limit) => abandonUnretried(context, limit)),
    handoffsEnded: await inBatches(batch, (limit) => endOverdueHandoffs(context.db, limit)),
  }
}

/**
 * Returns how many sessions ended. A session with an active sender, or with bytes that the store did not remove, is
 * left for a later iteration.
 */
async function abortOverdue(context: SweepContext, limit: number): Promise<number> {
  const now = systemClock.now()
  const ended: string[] = []
  const failed: string[] = []
  for (const { receiving, ...key } of await listOverdueSessions(context.db, now, limit)) {
    await context.db
      .transaction()
      .execute((trx) =>
        transitionSession(trx, { id: key.sessionId, company_id: key.companyId }, 'abort_pending'),
      )
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
    const left = await db.transaction().execute((trx) => transitionVersion(trx, version, { to: 'abandoned' }))
    if (left !== undefined) abandoned += 1
  }
  return abandoned
}
