import type { ContextUploadSession } from '@sandbox-jobs/contract/resources/context-upload.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import type { Principal } from '../platform/principal.ts'
import { renderSession } from './context-upload.ts'
import { managedSessionKey, type SessionPath } from './context-upload-service.ts'
import type { EnvironmentContext } from './environment-context.ts'
import { findSession, lockSession, moveSession, type SessionKey } from './upload-session-store.ts'

/**
 * Drops an unfinished session and frees its slot. While bytes still arrive it stays `abort_pending`, slot held,
 * until their sender has ended; so does one whose bytes the store did not remove: aborting again tries again.
 */
export async function abortContextUpload(
  context: EnvironmentContext,
  principal: Principal,
  path: SessionPath,
): Promise<ContextUploadSession> {
  const key = await managedSessionKey(context, principal, path)
  await context.db.transaction().execute(async (trx) => {
    const session = await lockSession(trx, key)
    if (!session) throw notFound()
    if (session.state === 'completed') throw new CodedError('illegal_transition')
    await moveSession(trx, session, 'abort_pending')
  })
  await finishAbort(context, key)
  const session = await findSession(context.db, key)
  if (!session) throw notFound()
  return renderSession(session, path.environmentId)
}

/** What ending a session takes. */
export type SweepContext = Pick<EnvironmentContext, 'db' | 'storage' | 'log'>

/** Removes the bytes of an `abort_pending` session that nobody sends to, then ends it. False when it did not. */
export async function finishAbort(context: SweepContext, key: SessionKey): Promise<boolean> {
  return context.db.transaction().execute(async (trx) => {
    const session = await lockSession(trx, key)
    if (session?.state !== 'abort_pending' || session.receiving) return false
    if (session.storage_key !== null) {
      try {
        await context.storage.delete(session.storage_key)
      } catch (error) {
        context.log.warn({ err: error, session: session.id }, 'bytes of an aborted upload not removed')
        return false
      }
    }
    const nothing = { storage_key: null, received_bytes: null, received_digest: null }
    return (await moveSession(trx, session, 'aborted', nothing)) !== undefined
  })
}
