import type { Readable } from 'node:stream'
import type { ContextUploadPut } from '@sandbox-jobs/contract/resources/context-upload.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import { invalid } from '../base/validation-error.ts'
import type { Principal } from '../platform/principal.ts'
import { ObjectTooLarge, type StoredObject } from '../storage/port.ts'
import { finishAbort } from './context-abort-service.ts'
import { isOpen } from './context-upload.ts'
import { managedSessionKey, type SessionPath } from './context-upload-service.ts'
import type { EnvironmentContext } from './environment-context.ts'
import { removeUnused, sweepUnused } from './unused-bytes.ts'
import { fitsUploadCapability } from './upload-capability.ts'
import {
  beginReceiving,
  endReceiving,
  findSession,
  lockSession,
  type SessionKey,
  takeReceived,
  type UploadSessionRow,
} from './upload-session-store.ts'

/*
 * Bytes of an archive go straight to the store, counted and hashed there, under a key of their own; the session
 * points at them only when all have arrived. So a refused or broken sending changes nothing, a repeated one
 * replaces the former, and nothing half-sent can be completed. One sender at a time, so that a session never
 * takes more room than it declared plus what it replaces. What is not the session's own is on record before there is a
 * byte of it: should this process die, a sweep finds it.
 */

/** The longest a request may take; see the HTTP server's own bound. */
const receiveMaxSeconds = 15 * 60

export interface Upload {
  capability: string
  /** As the header says, when it says. */
  contentLength: number | undefined
  body: Readable
}

export async function receiveContext(
  context: EnvironmentContext,
  principal: Principal,
  path: SessionPath,
  upload: Upload,
): Promise<ContextUploadPut> {
  const key = await managedSessionKey(context, principal, path)
  const session = await findSession(context.db, key)
  if (!session) throw notFound()
  requireCapability(context, session, upload.capability)
  if (!isOpen(session)) throw new CodedError('illegal_transition')
  if (upload.contentLength === 0) throw emptyBody()
  if ((upload.contentLength ?? 0) > session.declared_bytes) throw new CodedError('context_too_large')
  if (session.unused_key !== null) await sweepUnused(context, { limit: 1, session })
  const storageKey = `contexts/${key.companyId}/${newId('ownedObject')}`
  const begun = await beginReceiving(context.db, key, { storageKey, seconds: receiveMaxSeconds })
  if (!begun) throw new CodedError('illegal_transition')
  let unused: string | null = storageKey
  try {
    const stored = await store(context, storageKey, upload.body, session.declared_bytes)
    if (stored.byteSize === 0) throw emptyBody()
    unused = await keepReceived(context, key, storageKey, stored)
    if (unused === storageKey) throw new CodedError('illegal_transition')
    return { upload_session_id: session.id, bytes_received: stored.byteSize, digest: stored.digest }
  } finally {
    await afterReceiving(context, key, unused)
  }
}

function requireCapability(context: EnvironmentContext, session: UploadSessionRow, token: string): void {
  const fits = fitsUploadCapability(context.uploadCapabilityKey, session, token)
  if (!fits || session.capability_expired) throw new CodedError('capability_fenced')
}

async function store(
  context: EnvironmentContext,
  storageKey: string,
  body: Readable,
  maxBytes: number,
): Promise<StoredObject> {
  try {
    return await context.storage.put(storageKey, body, { maxBytes })
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw new CodedError('context_too_large')
    if (senderLeft(error)) throw invalid(['body'], 'incomplete', 'ended before it was whole')
    context.log.error({ err: error }, 'an archive could not be stored')
    throw new CodedError('storage_unavailable')
  }
}

/** Points the session at the new bytes. Answers the key that nobody needs now: the former, or the new one. */
async function keepReceived(
  context: EnvironmentContext,
  key: SessionKey,
  storageKey: string,
  stored: StoredObject,
): Promise<string | null> {
  return context.db.transaction().execute(async (trx) => {
    const session = await lockSession(trx, key)
    // Whoever took longer than it may is not the sender any more.
    if (!session || !isOpen(session) || session.unused_key !== storageKey) return storageKey
    await takeReceived(trx, session, {
      storage_key: storageKey,
      received_bytes: stored.byteSize,
      received_digest: stored.digest,
    })
    return session.storage_key
  })
}

async function afterReceiving(
  context: EnvironmentContext,
  key: SessionKey,
  unused: string | null,
): Promise<void> {
  const left = { id: key.sessionId, company_id: key.companyId, unused_key: unused }
  await endReceiving(context.db, left, await removeUnused(context, left))
  await finishAbort(context, key)
}

const senderLeft = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

const emptyBody = () => invalid(['body'], 'empty', 'must not be empty')
