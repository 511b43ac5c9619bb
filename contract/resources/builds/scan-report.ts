import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { BuildId, EnvironmentVersionId } from '../../identifiers.ts'
import { Count, DateTime, Nullable, OneOf } from '../../schema.ts'
import { severities } from '../../severities.ts'
import { ScanFinding } from './security-finding.ts'

/** Findings of the scan of a build. They are advisory: no finding fails a build. */
export const ScanReport = Type.Object({
  build_attempt_id: BuildId,
  environment_version_id: EnvironmentVersionId,
  layer_digest: about(
    "Digest of the image's uncompressed layer; of two layers their chain digest, as OCI defines it.",
    Digest,
  ),
  sbom_digest: about('Digest of the list of packages that readSbom returns.', Digest),
  system: about(
    'Distribution of the image; null if it has none.',
    Nullable(
      Type.Object({
        id: about('`ID` of its os-release.', Type.String(), 'debian'),
        version: about('`VERSION_ID` of its os-release.', Type.String(), '12'),
        name: about('`PRETTY_NAME` of its os-release.', Type.String(), 'Debian GNU/Linux 12 (bookworm)'),
      }),
    ),
  ),
  file_count: about('Files that were read.', Count, 8120),
  byte_count: about('Bytes that were read.', Count, 124_780_544),
  package_count: about('Packages that were found.', Count, 88),
  truncated: about('A limit was reached, and findings are left out.', Type.Boolean(), false),
  unread: about(
    'Files that could not be read.',
    Type.Array(
      Type.Object({
        path: about('Path in the image.', Type.String(), 'usr/lib/broken.deb'),
        reason: about('Why it could not be read.', Type.String(), 'too_large'),
      }),
    ),
    [],
  ),
  vulnerability_database: about(
    "The operator's vulnerability database that the packages were compared with; null without one.",
    Nullable(
      Type.Object({
        revision: about('Number of the import.', Count, 12),
        imported_at: about('When it was imported.', DateTime),
      }),
    ),
  ),
  finding_counts: about(
    'Findings by severity.',
    Type.Record(OneOf(severities), about('How many there are.', Count, 0)),
    {
      critical: 0,
      high: 1,
      medium: 4,
      low: 9,
      unknown: 0,
    },
  ),
  findings: about('The findings, the most severe first.', Type.Array(ScanFinding)),
})
export type ScanReport = Static<typeof ScanReport>
