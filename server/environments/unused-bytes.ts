import type { SweepContext } from './context-abort-service.ts'
import { endReceiving, lockUnused } from './upload-session-store.ts'

/** Removes bytes that a session has no use for; false when the store keeps them. */
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
 * Removes what senders left whose process died, or that the store did not remove then; answers of how many sessions.
 */
export async function sweepUnused(
  context: SweepContext,
  of: { limit: number; sessionId?: string },
): Promise<number> {
  return context.db.transaction().execute(async (trx) => {
    let removed = 0
    for (const session of await lockUnused(trx, of)) {
      if (!(await removeUnused(context, session))) continue
      await endReceiving(trx, session, true)
      removed += 1
    }
    return removed
  })
}
