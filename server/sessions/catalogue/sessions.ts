import { chatroomPageSizeDefault, sessionKeepHoursDefault } from '@sandbox-jobs/contract/limits.ts'
import type {
  Session,
  SessionCreateRequest,
  SessionList,
} from '@sandbox-jobs/contract/resources/sessions/session.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import type { PageRequest } from '../../base/page.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { SessionServices } from '../session-services.ts'
import { removeUnused } from '../trees/remove-unused.ts'
import { requireManaged, requireOwner, requireSession, type SessionAddress } from './session-access.ts'
import {
  deleteSessionRow,
  insertSession,
  listSessionRows,
  lockSession,
  type SessionOwner,
  type SessionRoom,
  type SessionRow,
  shareSession,
} from './session-store.ts'

/** Bytes for which a session without files counts. */
export const rowBytes = 1024

/**
 * Creates a session, empty or with the files of another one of the principal. Throws `not_found`, `session_not_found` for what
 * it cannot fork, `session_size_limit` and `storage_quota_exceeded`.
 */
export async function createSession(
  deps: SessionServices,
  principal: Principal,
  { chatroomId, body }: { chatroomId: string; body: SessionCreateRequest },
): Promise<Session> {
  const owner = await requireOwner(deps, principal, 'session.create', chatroomId)
  const { defaultBytes, maxBytes } = deps.sessionSizes
  const limit = body.size_limit_bytes
  if (limit !== undefined && limit > maxBytes) throw new CodedError('session_size_limit', { limit: maxBytes })
  return deps.db.transaction().execute(async (trx) => {
    await requireStorageQuota(trx, owner.companyId, rowBytes)
    const source = body.fork_of === undefined ? undefined : await shareSession(trx, owner, body.fork_of)
    if (body.fork_of !== undefined && !source) throw new CodedError('session_not_found')
    const sizeLimit = limit ?? source?.size_limit_bytes ?? defaultBytes
    if (source && source.byte_size > sizeLimit)
      throw new CodedError('session_size_limit', { limit: maxBytes })
    const row = await insertSession(trx, owner, {
      id: newId('session'),
      name: body.name ?? null,
      size_limit_bytes: sizeLimit,
      keep_hours: body.keep_hours ?? source?.keep_hours ?? sessionKeepHoursDefault,
      tree_id: source?.tree_id ?? null,
      byte_size: source?.byte_size ?? 0,
      file_count: source?.file_count ?? 0,
    })
    return renderSession(row)
  })
}

/** The sessions of the principal in a room, newest first. A sandbox-scope key sees those that it created. */
export async function listSessions(
  { db, directory, pages }: SessionServices,
  principal: Principal,
  { chatroomId, query }: { chatroomId: string; query: PageRequest },
): Promise<SessionList> {
  const owner = await requireOwner({ directory }, principal, 'session.list', chatroomId)
  return pageOf({ db, pages }, owner, { list: `sessions:${chatroomId}:${owner.principalId}`, query })
}

/** The sessions of everybody in a room that the principal manages, newest first. */
export async function listRoomSessions(
  { db, directory, pages }: SessionServices,
  principal: Principal,
  { chatroomId, query }: { chatroomId: string; query: PageRequest },
): Promise<SessionList> {
  const room = await requireManaged({ directory }, principal, chatroomId)
  return pageOf({ db, pages }, room, { list: `room-sessions:${chatroomId}`, query })
}

async function pageOf(
  { db, pages }: Pick<SessionServices, 'db' | 'pages'>,
  whose: SessionOwner | SessionRoom,
  { list, query }: { list: string; query: PageRequest },
): Promise<SessionList> {
  const size = query.page_size ?? chatroomPageSizeDefault
  const [beforeId] = pages.read(list, query.page_token) ?? []
  const rows = await listSessionRows(db, whose, {
    beforeId: typeof beforeId === 'string' ? beforeId : undefined,
    limit: size + 1,
  })
  return pages.page(list, rows, size, { item: renderSession, cursor: ({ id }) => [id] })
}

export const readSession = async (
  deps: SessionServices,
  principal: Principal,
  address: SessionAddress,
): Promise<Session> => renderSession((await requireSession(deps, principal, address)).session)

/** Deletes a session with its files; its forks keep theirs. Throws `not_found` and `session_in_use`. */
export async function removeSession(
  deps: SessionServices,
  principal: Principal,
  address: SessionAddress,
): Promise<Session> {
  const { owner } = await requireSession(deps, principal, address)
  return remove(deps, owner, address.sessionId)
}

/** Deletes a session of anybody in a room that the principal manages, as `removeSession`. */
export async function removeRoomSession(
  deps: SessionServices,
  principal: Principal,
  { chatroomId, sessionId }: SessionAddress,
): Promise<Session> {
  return remove(deps, await requireManaged(deps, principal, chatroomId), sessionId)
}

async function remove(
  deps: SessionServices,
  whose: SessionOwner | SessionRoom,
  id: string,
): Promise<Session> {
  const removed = await deps.db.transaction().execute(async (trx) => {
    const row = await lockSession(trx, whose, id)
    if (!row) throw notFound()
    if (row.holder_run_id !== null) throw new CodedError('session_in_use')
    await deleteSessionRow(trx, row)
    return row
  })
  await removeUnused(deps, removed.company_id)
  return renderSession(removed)
}

export const renderSession = (row: SessionRow): Session => ({
  id: row.id,
  chatroom_id: row.chatroom_id,
  name: row.name,
  created_by: row.principal_id,
  byte_size: row.byte_size,
  file_count: row.file_count,
  size_limit_bytes: row.size_limit_bytes,
  revision: row.revision,
  run_id: row.holder_run_id,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at.toISOString(),
  keep_hours: row.keep_hours,
  expires_at: row.expires_at.toISOString(),
})
