import { finishAbort, type SweepContext } from './context-abort-service.ts'
import { listOverdueSessions, moveSession } from './upload-session-store.ts'
import { moveVersion } from './version-moves.ts'
import { listUnretriedVersions } from './version-store.ts'

const batch = 100

/**
 * Ends what its time has run out for: upload sessions after a day, with their bytes, and failed versions after
 * the seven days in which they could be built again. One bounded round, safe to run in several processes; until
 * it comes by, readers already tell by the clock.
 */
export async function sweepEnvironments(
  context: SweepContext,
): Promise<{ uploadsAborted: number; versionsAbandoned: number }> {
  const sessions = await listOverdueSessions(context.db, batch)
  for (const key of sessions) {
    await context.db.transaction().execute((trx) => moveSession(trx, key.sessionId, 'abort_pending'))
    await finishAbort(context, key)
  }
  const versions = await listUnretriedVersions(context.db, batch)
  for (const id of versions) {
    await context.db.transaction().execute((trx) => moveVersion(trx, id, { to: 'abandoned' }))
  }
  return { uploadsAborted: sessions.length, versionsAbandoned: versions.length }
}
