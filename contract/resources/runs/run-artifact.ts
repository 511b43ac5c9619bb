import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { Identifier } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, OneOf } from '../../schema.ts'
import { deletionStates } from '../../states/upload-session-states.ts'

/** A file that a run produced; lists are ordered by `relative_path`. */
export const RunArtifact = Type.Object({
  id: Identifier,
  run_id: Identifier,
  relative_path: Type.String(),
  path_hash: Type.String(),
  byte_size: Count,
  digest: Digest,
  deletion_state: OneOf(deletionStates),
  declared_content_type: Type.String(),
})
export type RunArtifact = Static<typeof RunArtifact>

export const RunArtifactList = listOf(RunArtifact)
export type RunArtifactList = Static<typeof RunArtifactList>

export const downloadCapabilityHeader = 'X-Sandbox-Download-Capability'

/** Permits the download of one artifact for five minutes. The token is not a URL. */
export const ArtifactDownloadCapability = Type.Object({
  artifact_id: Identifier,
  run_id: Identifier,
  company_id: Identifier,
  capability_token: Type.String(),
  expires_at: DateTime,
  content_type: Type.Literal('application/octet-stream'),
  content_disposition: Type.String(),
  x_content_type_options: Type.Literal('nosniff'),
})
export type ArtifactDownloadCapability = Static<typeof ArtifactDownloadCapability>
