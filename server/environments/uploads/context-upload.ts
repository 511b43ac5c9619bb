import {
  type ContextObject,
  type ContextUploadInit,
  type ContextUploadSession,
  uploadCapabilityHeader,
  uploadContentType,
} from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { ContextObjectRow } from './owned-object-store.ts'
import type { UploadSessionRow } from './upload-session-store.ts'

export type ArchiveFormatName = ContextUploadInit['archive_format']

/** States in which a session accepts bytes, complete and abort. */
export const isOpen = (session: UploadSessionRow): boolean =>
  (session.state === 'uploading' || session.state === 'completing') && !session.session_expired

/** The only response that contains the capability. */
export const renderInit = (session: UploadSessionRow, capabilityToken: string): ContextUploadInit => ({
  upload_session_id: session.id,
  capability_token: capabilityToken,
  capability_expires_at: session.capability_expires_at.toISOString(),
  upload_mode: 'single_part',
  object_kind: 'context',
  archive_format: session.archive_format as ArchiveFormatName,
  declared_bytes: session.declared_bytes,
  max_bytes: session.declared_bytes,
  put_header_name: uploadCapabilityHeader,
  put_content_type: uploadContentType,
})

/** Wire form (contract part 1, "Context upload"). An expired session reads as aborted immediately. */
export const renderSession = (session: UploadSessionRow, environmentId: string): ContextUploadSession => ({
  upload_session_id: session.id,
  environment_id: environmentId,
  state: isOver(session) ? 'aborted' : (session.state as ContextUploadSession['state']),
  object_kind: 'context',
  declared_bytes: session.declared_bytes,
  owned_object_id: session.owned_object_id,
  digest: session.received_digest,
  byte_size: session.received_bytes,
  session_expires_at: session.session_expires_at.toISOString(),
})

const isOver = (session: UploadSessionRow): boolean =>
  session.session_expired && session.state !== 'completed'

/** Wire form of a received archive, without storage keys. */
export const renderContextObject = (row: ContextObjectRow, environmentId: string): ContextObject => ({
  owned_object_id: row.id,
  environment_id: environmentId,
  byte_size: row.byte_size,
  digest: row.digest,
  deletion_state: row.deletion_state as ContextObject['deletion_state'],
  used_by_version_ids: row.used_by_version_ids,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
})
