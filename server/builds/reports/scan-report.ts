import { findingsPerScanMax } from '@sandbox-jobs/contract/limits.ts'
import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import { type ScanFinding, severities } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { Inventory } from '../../../reader/inventory/inventory.ts'
import { bySeverity } from '../../findings/finding.ts'
import type { Matched } from '../../findings/vulnerabilities/match-packages.ts'
import type { BuildRequest } from '../request/build-request.ts'
import { observationFinding } from './observation-findings.ts'

export interface Scan {
  request: Pick<BuildRequest, 'attemptId' | 'versionId'>
  layerDigest: string
  sbomDigest: string
  inventory: Inventory
  matched: Matched
}

/** Renders the report for owners, most severe findings first. */
export function scanReport({ request, layerDigest, sbomDigest, inventory, matched }: Scan): ScanReport {
  const { database, isComplete } = matched
  const all = [...inventory.observations.map(observationFinding), ...matched.findings].toSorted(bySeverity)
  const findings = all.slice(0, findingsPerScanMax)
  return {
    build_attempt_id: request.attemptId,
    environment_version_id: request.versionId,
    layer_digest: layerDigest,
    sbom_digest: sbomDigest,
    system: inventory.system ?? null,
    file_count: inventory.files,
    byte_count: inventory.bytes,
    package_count: inventory.packages.length,
    truncated: inventory.truncated || !isComplete || findings.length < all.length,
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
