import { findingsPerScanMax } from '@sandbox-jobs/contract/limits.ts'
import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { type Severity, severities } from '@sandbox-jobs/contract/severities.ts'
import type { Inventory, Observation, ObservationRule } from '../../../reader/inventory/inventory.ts'
import { bySeverity } from '../../findings/finding.ts'
import type { Matched } from '../../findings/vulnerabilities/match-packages.ts'
import type { BuildRequest } from '../request/build-request.ts'

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

interface Rule {
  kind: 'file' | 'secret'
  severity: Severity
  title: string
}

const secret = (title: string, severity: Severity = 'high'): Rule => ({ kind: 'secret', severity, title })
/** Low: no file raises privileges in a sandbox, so these matter only if the image is also used elsewhere. */
const file = (title: string): Rule => ({ kind: 'file', severity: 'low', title })

const rules: Record<ObservationRule, Rule> = {
  setuid_file: file('Program that runs as its owner'),
  setgid_file: file('Program that runs as its group'),
  capability_file: file('Program with capabilities'),
  world_writable_folder: file('Folder that everybody may write to and remove from'),
  private_key: secret('Private key'),
  aws_access_key: secret('AWS access key', 'critical'),
  github_token: secret('GitHub token', 'critical'),
  gitlab_token: secret('GitLab token', 'critical'),
  slack_token: secret('Slack token'),
  stripe_key: secret('Stripe live key', 'critical'),
  google_api_key: secret('Google API key'),
  npm_token: secret('npm token', 'critical'),
  pypi_token: secret('PyPI token', 'critical'),
  openai_key: secret('OpenAI key'),
  anthropic_key: secret('Anthropic key'),
  url_with_password: secret('Address with a password in it', 'medium'),
}

const observationFinding = ({ rule, path }: Observation): ScanFinding => ({
  ...rules[rule],
  rule,
  subject: path,
  installed_version: '',
  fixed_version: '',
})
