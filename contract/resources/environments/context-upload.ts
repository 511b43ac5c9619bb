import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { Identifier } from '../../ids.ts'
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
  declared_bytes: Type.Integer({ minimum: 1, maximum: contextArchiveMaxBytes }),
  archive_format: Type.Optional(ArchiveFormat),
})
export type ContextUploadInitRequest = Static<typeof ContextUploadInitRequest>

export const ContextUploadInit = Type.Object({
  upload_session_id: Identifier,
  capability_token: Type.String(),
  capability_expires_at: DateTime,
  upload_mode: Type.Literal('single_part'),
  object_kind: Type.Literal('context'),
  archive_format: ArchiveFormat,
  declared_bytes: Count,
  max_bytes: Count,
  put_header_name: Type.Literal(uploadCapabilityHeader),
  put_content_type: Type.Literal(uploadContentType),
})
export type ContextUploadInit = Static<typeof ContextUploadInit>

export const ContextUploadPut = Type.Object({
  upload_session_id: Identifier,
  bytes_received: Count,
  digest: Digest,
})
export type ContextUploadPut = Static<typeof ContextUploadPut>

export const ContextUploadCompleteRequest = Strict({
  expected_size: Omissible(Type.Integer({ minimum: 0 })),
  expected_digest: Omissible(Digest),
})
export type ContextUploadCompleteRequest = Static<typeof ContextUploadCompleteRequest>

export const ContextUploadComplete = Type.Object({
  owned_object_id: Identifier,
  digest: Digest,
  byte_size: Count,
  upload_session_id: Identifier,
  environment_id: Identifier,
})
export type ContextUploadComplete = Static<typeof ContextUploadComplete>

export const ContextUploadSession = Type.Object({
  upload_session_id: Identifier,
  environment_id: Identifier,
  state: OneOf(visibleUploadSessionStates),
  object_kind: Type.Literal('context'),
  declared_bytes: Count,
  owned_object_id: Nullable(Identifier),
  digest: Nullable(Digest),
  byte_size: Nullable(Count),
  session_expires_at: Nullable(DateTime),
})
export type ContextUploadSession = Static<typeof ContextUploadSession>

/** A received archive. Only an `active` one can be used for a version. */
export const ContextObject = Type.Object({
  owned_object_id: Identifier,
  environment_id: Identifier,
  byte_size: Count,
  digest: Digest,
  deletion_state: OneOf(deletionStates),
  /** Versions of this environment with this digest as `source_digest`. */
  used_by_version_ids: Type.Array(Identifier),
  created_at: Nullable(DateTime),
  expires_at: Nullable(DateTime),
})
export type ContextObject = Static<typeof ContextObject>

export const ContextObjectList = listOf(ContextObject)
export type ContextObjectList = Static<typeof ContextObjectList>
