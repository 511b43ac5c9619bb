import { systemClock } from '../../base/clock.ts'
import { forgetFailures, postpone } from '../../work/removal.ts'
import type { SweepContext } from './context-abort-service.ts'
import { finishReceiving, lockUnused } from './upload-session-store.ts'

/** Removes bytes that a session does not need. False if the store did not remove them. */
export async function removeUnused(
  { storage, log }: Pick<SweepContext, 'storage' | 'log'>,
  session: { id: string; unused_key: string | null },
): Promise<boolean> {
  try {
    if (session.unused_key !== null) await storage.delete(session.unused_key)
    return true
  } catch (error) {
    log.warn({ err: error, session: session.id }, 'unused bytes of an upload not removed')
    return false
  }
}

/**
 * Removes bytes of senders whose process died, and bytes that an earlier removal left. Returns the number of
 * sessions.
 */
export async function sweepUnused(
  context: SweepContext,
  of: { limit: number; session?: { id: string; company_id: string } },
): Promise<number> {
  const now = systemClock.now()
  return context.db.transaction().execute(async (trx) => {
    const removed: string[] = []
    const failed: string[] = []
    for (const session of await lockUnused(trx, { ...of, now })) {
      const isGone = await removeUnused(context, session)
      if (isGone) await finishReceiving(trx, session, true)
      const ends = isGone ? removed : failed
      ends.push(`unused:${session.id}`)
    }
    await postpone(trx, failed, now)
    await forgetFailures(trx, removed)
    return removed.length
  })
}
