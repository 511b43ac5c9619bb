import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { EnvironmentId, EnvironmentVersionId, OwnedObjectId, UploadSessionId } from '../../identifiers.ts'
import { contextArchiveMaxBytes } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, Omissible, OneOf, Strict } from '../../schema.ts'
import { deletionStates, visibleUploadSessionStates } from '../../states/upload-session-states.ts'

export const archiveFormats = ['zip', 'tar', 'tar.gz'] as const
export const ArchiveFormat = OneOf(archiveFormats)
export type ArchiveFormat = Static<typeof ArchiveFormat>

export const defaultArchiveFormat: ArchiveFormat = 'tar.gz'

export const objectKinds = ['context', 'input', 'output', 'log', 'artifact_bundle', 'report'] as const
export const ObjectKind = OneOf(objectKinds)
export type ObjectKind = Static<typeof ObjectKind>

export const uploadCapabilityHeader = 'X-Sandbox-Upload-Capability'
export const uploadContentType = 'application/octet-stream'

export const ContextUploadInitRequest = Strict({
  declared_bytes: about(
    'Bytes of the archive, at most 1 GiB.',
    Type.Integer({ minimum: 1, maximum: contextArchiveMaxBytes }),
    20_480,
  ),
  archive_format: about(
    'Format of the archive; by default `tar.gz`.',
    Type.Optional(ArchiveFormat),
    'tar.gz',
  ),
})
export type ContextUploadInitRequest = Static<typeof ContextUploadInitRequest>

export const ContextUploadInit = Type.Object({
  upload_session_id: UploadSessionId,
  capability_token: about(
    'Permits sending the bytes, in the header that `put_header_name` names.',
    Type.String(),
    'cap_9b1f6c2e',
  ),
  capability_expires_at: about('Until when the token is valid: 15 minutes.', DateTime),
  upload_mode: about('The archive is sent in one request.', Type.Literal('single_part')),
  object_kind: about('Kind of the uploaded object.', Type.Literal('context')),
  archive_format: about('Format of the archive.', ArchiveFormat, 'tar.gz'),
  declared_bytes: about('Bytes of the archive.', Count, 20_480),
  max_bytes: about('Bytes that the session takes.', Count, 20_480),
  put_header_name: about('Header that takes the token.', Type.Literal(uploadCapabilityHeader)),
  put_content_type: about('`Content-Type` of the request with the bytes.', Type.Literal(uploadContentType)),
})
export type ContextUploadInit = Static<typeof ContextUploadInit>

export const ContextUploadPut = Type.Object({
  upload_session_id: UploadSessionId,
  bytes_received: about('Bytes that arrived.', Count, 20_480),
  digest: about('Digest of the bytes that arrived.', Digest),
})
export type ContextUploadPut = Static<typeof ContextUploadPut>

export const ContextUploadCompleteRequest = Strict({
  expected_size: about(
    'Bytes that must have arrived; not compared if left out.',
    Omissible(Type.Integer({ minimum: 0 })),
    20_480,
  ),
  expected_digest: about('Digest that they must have; not compared if left out.', Omissible(Digest)),
})
export type ContextUploadCompleteRequest = Static<typeof ContextUploadCompleteRequest>

export const ContextUploadComplete = Type.Object({
  owned_object_id: OwnedObjectId,
  digest: about('Digest of the archive.', Digest),
  byte_size: about('Bytes of the archive.', Count, 20_480),
  upload_session_id: UploadSessionId,
  environment_id: EnvironmentId,
})
export type ContextUploadComplete = Static<typeof ContextUploadComplete>

export const ContextUploadSession = Type.Object({
  upload_session_id: UploadSessionId,
  environment_id: EnvironmentId,
  state: about('Where the upload is in its life.', OneOf(visibleUploadSessionStates), 'completed'),
  object_kind: about('Kind of the uploaded object.', Type.Literal('context')),
  declared_bytes: about('Bytes of the archive as announced.', Count, 20_480),
  owned_object_id: about('The stored archive; null until the upload is completed.', Nullable(OwnedObjectId)),
  digest: about('Digest of the bytes that arrived; null until they have.', Nullable(Digest)),
  byte_size: about('Bytes that arrived; null until they have.', Nullable(Count), 20_480),
  session_expires_at: about('Until when an unfinished upload is kept.', Nullable(DateTime)),
})
export type ContextUploadSession = Static<typeof ContextUploadSession>

/** A received archive. Only an `active` one can be used for a version. */
export const ContextObject = Type.Object({
  owned_object_id: OwnedObjectId,
  environment_id: EnvironmentId,
  byte_size: about('Bytes of the archive.', Count, 20_480),
  digest: about('Digest of the archive.', Digest),
  deletion_state: about(
    'Whether the archive still exists; only an `active` one makes a version.',
    OneOf(deletionStates),
  ),
  used_by_version_ids: about(
    'Versions of this environment with this digest as `source_digest`.',
    Type.Array(EnvironmentVersionId),
  ),
  created_at: about('When it was received.', Nullable(DateTime)),
  expires_at: about('When it is deleted unless a version uses it.', Nullable(DateTime)),
})
export type ContextObject = Static<typeof ContextObject>

export const ContextObjectList = listOf(ContextObject)
export type ContextObjectList = Static<typeof ContextObjectList>
