import { systemClock } from '../../base/clock.ts'
import { removeEach } from '../../work/removal.ts'
import type { SweepContext } from './context-abort-service.ts'
import { finishReceiving, lockUnused } from './upload-session-store.ts'

interface UnusedBytes {
  id: string
  unused_key: string | null
}

type RemovalContext = Pick<SweepContext, 'storage' | 'log'>

/** Removes bytes that a session does not need. False if the store did not remove them. */
export async function removeUnused(context: RemovalContext, session: UnusedBytes): Promise<boolean> {
  try {
    await deleteUnused(context, session)
    return true
  } catch (error) {
    warn(context, session, error)
    return false
  }
}

async function deleteUnused({ storage }: RemovalContext, { unused_key: key }: UnusedBytes): Promise<void> {
  if (key !== null) await storage.delete(key)
}

const warn = ({ log }: RemovalContext, { id }: UnusedBytes, error: unknown): void =>
  log.warn({ err: error, session: id }, 'unused bytes of an upload not removed')

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
    const { removed } = await removeEach(await lockUnused(trx, { ...of, now }), {
      db: trx,
      now,
      idOf: ({ id }) => `unused:${id}`,
      remove: async (session) => {
        await deleteUnused(context, session)
        await finishReceiving(trx, session, true)
      },
      onFailure: (session, error) => warn(context, session, error),
    })
    return removed
  })
}
