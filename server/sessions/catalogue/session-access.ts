import { authorize } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { SessionServices } from '../session-services.ts'
import { findSession, type SessionOwner, type SessionRoom, type SessionRow } from './session-store.ts'

export interface SessionAddress {
  chatroomId: string
  sessionId: string
}

/** The owner of the sessions that a principal has in a room that they may enter. Throws `not_found`. */
export async function requireOwner(
  { directory }: Pick<SessionServices, 'directory'>,
  principal: Principal,
  action: 'session.create' | 'session.list',
  chatroomId: string,
): Promise<SessionOwner> {
  const { id } = await directory.requireRoom(principal, action, chatroomId)
  return ownerOf(principal, id)
}

/** A room whose sessions of all people the principal manages. Throws `not_found`. */
export async function requireManaged(
  { directory }: Pick<SessionServices, 'directory'>,
  principal: Principal,
  chatroomId: string,
): Promise<SessionRoom> {
  const { id } = await directory.requireRoom(principal, 'session.manage', chatroomId)
  return { companyId: principal.companyId, chatroomId: id }
}

export const ownerOf = (principal: Principal, chatroomId: string): SessionOwner => ({
  companyId: principal.companyId,
  principalType: principal.principalType,
  principalId: principal.principalId,
  chatroomId,
  // Of a door. Routes refuse other keys of this scope.
  apiKeyId: principal.apiKey?.scope === 'sandbox' ? principal.apiKey.id : undefined,
})

/** A session of the principal, in a room that they may enter. Throws `not_found` for every other one. */
export async function requireSession(
  deps: Pick<SessionServices, 'db' | 'directory'>,
  principal: Principal,
  { chatroomId, sessionId }: SessionAddress,
): Promise<{ owner: SessionOwner; session: SessionRow }> {
  const owner = await requireOwner(deps, principal, 'session.list', chatroomId)
  const session = await findSession(deps.db, owner, sessionId)
  if (!session) throw notFound()
  authorize(principal, 'session.use', { kind: 'session', isOwn: true, roomId: owner.chatroomId })
  return { owner, session }
}
