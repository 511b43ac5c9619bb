import type { ContextUploadSession } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import { renderSession } from './context-upload.ts'
import { managedSessionKey, type SessionPath } from './context-upload-service.ts'
import { findSession, lockSession, type SessionKey, transitionSession } from './upload-session-store.ts'

/**
 * Aborts an unfinished session and frees its slot. While bytes still arrive, the session stays `abort_pending` and
 * holds its slot until the sender ends. It also stays so if the store did not remove its bytes; another abort retries
 * that.
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
    await transitionSession(trx, session, 'abort_pending')
  })
  await finishAbort(context, key)
  const session = await findSession(context.db, key)
  if (!session) throw notFound()
  return renderSession(session, path.environmentId)
}

/** Dependencies for ending a session. */
export type SweepContext = Pick<EnvironmentContext, 'db' | 'storage' | 'log'>

/**
 * Removes the bytes of an `abort_pending` session without an active sender, then ends the session. False if it could
 * not.
 */
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
    return (await transitionSession(trx, session, 'aborted', nothing)) !== undefined
  })
}
