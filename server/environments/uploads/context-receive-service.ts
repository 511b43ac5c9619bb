import type { Readable } from 'node:stream'
import type { ContextUploadPut } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import { ObjectTooLarge, type StoredObject } from '../../storage/port.ts'
import { managedEnvironment } from '../catalogue/environment-access.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import { finishAbort } from './context-abort-service.ts'
import { isOpen } from './context-upload.ts'
import { managedSessionKey, type SessionPath } from './context-upload-service.ts'
import { removeUnused, sweepUnused } from './unused-bytes.ts'
import { isCapabilityOfSession } from './upload-capability.ts'
import {
  findSession,
  finishReceiving,
  lockSession,
  type SessionKey,
  startReceiving,
  takeReceived,
  type UploadSessionRow,
} from './upload-session-store.ts'

/*
 * The bytes of an archive are streamed to the store under a new key, and counted and hashed on the way. The session
 * refers to them only after all have arrived. So a refused or interrupted upload changes nothing, a repeated upload
 * replaces the previous one, and an incomplete upload cannot be completed. Only one sender is allowed at a time, so
 * that a session never takes more space than its declared bytes plus those that it replaces. A key that the session
 * does not own is recorded before its first byte is written. If this process dies, a sweep finds it.
 */

/** Maximum duration of a request. The HTTP server has its own limit. */
const receiveMaxSeconds = 15 * 60

export interface Upload {
  capability: string
  /** Value of the header, if present. */
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
  const started = await startReceiving(context.db, key, { storageKey, seconds: receiveMaxSeconds })
  if (!started) throw new CodedError('illegal_transition')
  let unused: string | null = storageKey
  try {
    const stored = await store(context, storageKey, upload.body, session.declared_bytes)
    if (stored.byteSize === 0) throw emptyBody()
    unused = await keepReceived(context, principal, { key, storageKey, stored })
    if (unused === storageKey) throw new CodedError('illegal_transition')
    return { upload_session_id: session.id, bytes_received: stored.byteSize, digest: stored.digest }
  } finally {
    await afterReceiving(context, key, unused)
  }
}

function requireCapability(context: EnvironmentContext, session: UploadSessionRow, token: string): void {
  const fits = isCapabilityOfSession(context.uploadCapabilityKeys, session, token)
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

/**
 * Points the session at the new bytes. Returns the key that is no longer needed: the previous one, or the new one. The bytes may
 * have taken minutes, so what the principal may is read again.
 */
async function keepReceived(
  context: EnvironmentContext,
  principal: Principal,
  { key, storageKey, stored }: { key: SessionKey; storageKey: string; stored: StoredObject },
): Promise<string | null> {
  return context.db.transaction().execute(async (trx) => {
    const sender = await lockAuthority(trx, principal)
    await managedEnvironment(trx, sender, 'environment.upload', key.environmentId)
    const session = await lockSession(trx, key)
    // A sender that exceeded its time no longer owns the session.
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
  await finishReceiving(context.db, left, await removeUnused(context, left))
  await finishAbort(context, key)
}

const senderLeft = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

const emptyBody = () => invalid(['body'], 'empty', 'must not be empty')
