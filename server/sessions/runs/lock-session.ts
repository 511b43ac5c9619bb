import { sessionWorkspaceReserveBytes } from '@sandbox-jobs/contract/limits.ts'
import { profileOf } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RunSessionRequest } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Trx } from '../../db/database.ts'
import { ownerOf } from '../catalogue/session-access.ts'
import { lockSession, takeSession } from '../catalogue/session-store.ts'

/*
 * How a run takes a session. The session is locked before the queues are, and stays locked until the transaction that queues the run
 * has ended. The run holds it from then on, in the queue too: a worker that dies changes nothing, and the statement that ends the
 * run gives the session to the next run that waits for it (trigger `release_session`).
 */

/** A session that is locked for a run which is not queued yet. */
export interface LockedSession {
  id: string
  /** Another run holds it: this one will wait in the queue. */
  waits: boolean
  /** Whether the run is refused instead of waiting. */
  mayWait: boolean
}

const mib = 1024 * 1024

/** Locks a session of the principal. Throws `session_not_found`, and `session_too_large` for the workspace of the profile. */
export async function lockSessionForRun(
  trx: Trx,
  principal: Principal,
  wanted: { chatroomId: string; session: RunSessionRequest; resourceProfile: string },
): Promise<LockedSession> {
  const { session_id: id, when_in_use: whenInUse = 'wait' } = wanted.session
  const row = await lockSession(trx, ownerOf(principal, wanted.chatroomId), id)
  if (!row) throw new CodedError('session_not_found')
  const limit = profileOf(wanted.resourceProfile).workspace_mib * mib - sessionWorkspaceReserveBytes
  if (row.byte_size > limit) throw new CodedError('session_too_large', { limit })
  return { id, waits: row.holder_run_id !== null, mayWait: whenInUse === 'wait' }
}

/** Throws `session_in_use` for a run that does not wait. */
export function requireNotInUse(session: LockedSession | undefined): void {
  if (session?.waits && !session.mayWait) throw new CodedError('session_in_use')
}

/** Gives the locked session to a new run, unless that waits for it. */
export const takeHeldSession = async (
  trx: Trx,
  run: { id: string; company_id: string },
  session: LockedSession,
): Promise<void> => {
  if (!session.waits) await takeSession(trx, { id: session.id, company_id: run.company_id }, run.id)
}
