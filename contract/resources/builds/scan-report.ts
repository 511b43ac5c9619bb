import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { Identifier } from '../../ids.ts'
import { Count, DateTime, Nullable, OneOf } from '../../schema.ts'
import { ScanFinding, severities } from './security-finding.ts'

/** Findings of the scan of a build. They are advisory: no finding fails a build. */
export const ScanReport = Type.Object({
  build_attempt_id: Identifier,
  environment_version_id: Identifier,
  /** Digest of the image's uncompressed layer. */
  layer_digest: Digest,
  sbom_digest: Digest,
  system: Nullable(Type.Object({ id: Type.String(), version: Type.String(), name: Type.String() })),
  file_count: Count,
  byte_count: Count,
  package_count: Count,
  /** A limit was reached and findings are omitted. */
  truncated: Type.Boolean(),
  /** Files that could not be read. */
  unread: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() })),
  /** The operator's vulnerability database used for the packages; null without one. */
  vulnerability_database: Nullable(Type.Object({ revision: Count, imported_at: DateTime })),
  finding_counts: Type.Record(OneOf(severities), Count),
  findings: Type.Array(ScanFinding),
})
export type ScanReport = Static<typeof ScanReport>
