import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest, exampleDigest } from '../../digest.ts'
import { ArtifactId, CompanyId, RunId } from '../../identifiers.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, OneOf } from '../../schema.ts'
import { deletionStates } from '../../states/upload-session-states.ts'

/** A file that a run produced; lists are ordered by `relative_path`. */
export const RunArtifact = Type.Object({
  id: ArtifactId,
  run_id: RunId,
  relative_path: about('Path below the artifacts folder of the run.', Type.String(), 'charts/sales.png'),
  path_hash: about('Digest of the path.', Type.String(), exampleDigest),
  byte_size: about('Bytes of the file.', Count, 24_576),
  digest: about('Digest of the file.', Digest),
  deletion_state: about(
    'Whether the file still exists; only an `active` one can be downloaded.',
    OneOf(deletionStates),
  ),
  declared_content_type: about(
    'Media type by the name of the file; nobody looked inside.',
    Type.String(),
    'image/png',
  ),
})
export type RunArtifact = Static<typeof RunArtifact>

export const RunArtifactList = listOf(RunArtifact)
export type RunArtifactList = Static<typeof RunArtifactList>

export const downloadCapabilityHeader = 'X-Sandbox-Download-Capability'

/** Permits the download of one artifact for five minutes. The token is not a URL. */
export const ArtifactDownloadCapability = Type.Object({
  artifact_id: ArtifactId,
  run_id: RunId,
  company_id: CompanyId,
  capability_token: about(
    'Permits the download, as `X-Sandbox-Download-Capability`. It is not an address.',
    Type.String(),
    'cap_9b1f6c2e',
  ),
  expires_at: about('Until when the token is valid: 5 minutes.', DateTime),
  content_type: about('`Content-Type` of the download.', Type.Literal('application/octet-stream')),
  content_disposition: about(
    '`Content-Disposition` of the download.',
    Type.String(),
    'attachment; filename="sales.png"',
  ),
  x_content_type_options: about('`X-Content-Type-Options` of the download.', Type.Literal('nosniff')),
})
export type ArtifactDownloadCapability = Static<typeof ArtifactDownloadCapability>
