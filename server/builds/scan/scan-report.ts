import { findingsPerScanMax } from '@sandbox-jobs/contract/limits.ts'
import type { ScanReport } from '@sandbox-jobs/contract/resources/scan-report.ts'
import { type ScanFinding, severities } from '@sandbox-jobs/contract/resources/security-finding.ts'
import { bySeverity } from '../../findings/finding.ts'
import type { Matched } from '../../findings/vulnerabilities/match-packages.ts'
import type { BuildOrder } from '../steps/step.ts'
import type { Inventory } from './inventory.ts'
import { observationFinding } from './observation-findings.ts'

export interface Scan {
  order: Pick<BuildOrder, 'attemptId' | 'versionId'>
  layerDigest: string
  sbomDigest: string
  inventory: Inventory
  matched: Matched
}

/** What the owner reads about an image, the most severe finding first. */
export function scanReport({ order, layerDigest, sbomDigest, inventory, matched }: Scan): ScanReport {
  const { database } = matched
  const all = [...inventory.observations.map(observationFinding), ...matched.findings].toSorted(bySeverity)
  const findings = all.slice(0, findingsPerScanMax)
  return {
    build_attempt_id: order.attemptId,
    environment_version_id: order.versionId,
    layer_digest: layerDigest,
    sbom_digest: sbomDigest,
    system: inventory.system ?? null,
    file_count: inventory.files,
    byte_count: inventory.bytes,
    package_count: inventory.packages.length,
    truncated: inventory.truncated || findings.length < all.length,
    unread: inventory.unread,
    vulnerability_database: database
      ? { revision: database.revision, imported_at: database.importedAt.toISOString() }
      : null,
    finding_counts: countsOf(all),
    findings,
  }
}

const countsOf = (findings: readonly ScanFinding[]): ScanReport['finding_counts'] =>
  Object.fromEntries(
    severities.map((severity) => [severity, findings.filter((each) => each.severity === severity).length]),
  ) as ScanReport['finding_counts']
