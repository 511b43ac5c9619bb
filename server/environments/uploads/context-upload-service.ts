import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import {
  type ContextUploadComplete,
  type ContextUploadCompleteRequest,
  type ContextUploadInit,
  type ContextUploadInitRequest,
  type ContextUploadSession,
  defaultArchiveFormat,
} from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { uploadSessionMachine } from '@sandbox-jobs/contract/states/upload-session-states.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import type { Trx } from '../../db/database.ts'
import { recordCreated } from '../../db/transition.ts'
import { requireActive } from '../catalogue/environment.ts'
import { managedEnvironment } from '../catalogue/environment-access.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import { isOpen, renderInit, renderSession } from './context-upload.ts'
import { insertContextObject } from './owned-object-store.ts'
import { requireStagingSpace } from './staging.ts'
import { mintUploadCapability } from './upload-capability.ts'
import {
  findSession,
  insertSession,
  lockSession,
  type SessionKey,
  transitionSession,
  type UploadSessionRow,
} from './upload-session-store.ts'

export interface SessionPath {
  environmentId: string
  sessionId: string
}

/** Opens a session. Until it ends, it holds one of the company's slots and its declared bytes. */
export async function initContextUpload(
  context: EnvironmentContext,
  principal: Principal,
  environmentId: string,
  body: ContextUploadInitRequest,
): Promise<ContextUploadInit> {
  const environment = await managedEnvironment(context.db, principal, 'environment.upload', environmentId)
  requireActive(environment)
  const id = newId('uploadSession')
  const capability = mintUploadCapability(context.uploadCapabilityKeys, id)
  const session = await context.db.transaction().execute(async (trx) => {
    await requireStagingSpace(trx, principal.companyId, body.declared_bytes)
    const created = await insertSession(trx, {
      id,
      company_id: principal.companyId,
      environment_id: environmentId,
      archive_format: body.archive_format ?? defaultArchiveFormat,
      declared_bytes: body.declared_bytes,
      capability_hash: capability.hash,
      created_by: principal.principalId,
    })
    const { companyId } = principal
    await recordCreated(trx, { machine: uploadSessionMachine, id, companyId, state: created.state })
    await transitionSession(trx, created, 'uploading')
    return created
  })
  return renderInit(session, capability.token)
}

export async function readContextUpload(
  context: EnvironmentContext,
  principal: Principal,
  path: SessionPath,
): Promise<ContextUploadSession> {
  const key = await managedSessionKey(context, principal, path)
  const session = await findSession(context.db, key)
  if (!session) throw notFound()
  return renderSession(session, path.environmentId)
}

/** Key of the session, for a manager of its environment. Hidden from all others. */
export async function managedSessionKey(
  context: EnvironmentContext,
  principal: Principal,
  path: SessionPath,
): Promise<SessionKey> {
  await managedEnvironment(context.db, principal, 'environment.upload', path.environmentId)
  return { companyId: principal.companyId, ...path }
}

/**
 * Checks the received bytes and creates the owned object. A failed check leaves the session `completing`: the client
 * may send the bytes again, retry complete, or abort. Repeating a successful complete returns the same response.
 */
export async function completeContextUpload(
  context: EnvironmentContext,
  principal: Principal,
  path: SessionPath,
  body: ContextUploadCompleteRequest,
): Promise<ContextUploadComplete> {
  const key = await managedSessionKey(context, principal, path)
  const result = await context.db.transaction().execute((trx) => completeLocked(context, trx, key, body))
  // Thrown after the commit, which keeps the transition to `completing`.
  if (typeof result === 'string') throw new CodedError(result)
  return result
}

async function completeLocked(
  context: EnvironmentContext,
  trx: Trx,
  key: SessionKey,
  body: ContextUploadCompleteRequest,
): Promise<ContextUploadComplete | ErrorCode> {
  const session = await lockSession(trx, key)
  if (!session) return 'not_found'
  if (!isOpen(session) && session.state !== 'completed') return 'illegal_transition'
  const received = receivedOf(session)
  if (!received) return 'upload_incomplete'
  if (session.state === 'uploading') await transitionSession(trx, session, 'completing')
  const mismatch = mismatchOf(received, body)
  if (mismatch) return mismatch
  const answer = {
    digest: received.digest,
    byte_size: received.byteSize,
    upload_session_id: session.id,
    environment_id: key.environmentId,
  }
  if (session.owned_object_id) return { owned_object_id: session.owned_object_id, ...answer }
  if ((await context.storage.size(received.storageKey)) !== received.byteSize) return 'storage_unavailable'
  const objectId = newId('ownedObject')
  await insertContextObject(trx, {
    id: objectId,
    company_id: key.companyId,
    environment_id: key.environmentId,
    archive_format: session.archive_format,
    storage_key: received.storageKey,
    byte_size: received.byteSize,
    digest: received.digest,
  })
  await transitionSession(trx, session, 'completed', { owned_object_id: objectId })
  return { owned_object_id: objectId, ...answer }
}

function receivedOf(session: UploadSessionRow) {
  const { storage_key: storageKey, received_bytes: byteSize, received_digest: digest } = session
  return storageKey !== null && byteSize !== null && digest !== null
    ? { storageKey, byteSize, digest }
    : undefined
}

function mismatchOf(
  received: { byteSize: number; digest: string },
  expected: ContextUploadCompleteRequest,
): ErrorCode | undefined {
  if (expected.expected_size != null && expected.expected_size !== received.byteSize) {
    return 'upload_size_mismatch'
  }
  if (expected.expected_digest != null && expected.expected_digest !== received.digest) {
    return 'upload_digest_mismatch'
  }
  return undefined
}
