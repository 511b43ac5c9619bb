import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import { severities } from '@sandbox-jobs/contract/severities.ts'
import { escapeControls } from './escape-controls.ts'
import { bytesText } from './sizes.ts'
import { table } from './table.ts'

/** The scan report of an image as text. */
export function reportText(report: ScanReport): string {
  const { system, vulnerability_database: database, findings } = report
  const counts = severities
    .filter((severity) => report.finding_counts[severity] > 0)
    .map((severity) => `${report.finding_counts[severity]} ${severity}`)
  const lines = [
    `image            ${report.layer_digest}`,
    `system           ${system ? escapeControls(system.name) : 'unknown'}`,
    `read             ${report.file_count} files, ${bytesText(report.byte_count)}`,
    `packages         ${report.package_count}`,
    `vulnerabilities  ${database ? `compared with revision ${database.revision} of ${database.imported_at}` : 'not compared: the operator has imported no vulnerability database'}`,
    `findings         ${counts.length === 0 ? 'none' : counts.join(', ')}`,
    ...(report.truncated ? ['The report is incomplete: the image exceeds the bounds of the scan.'] : []),
    ...report.unread.map(({ path, reason }) => `not read: ${escapeControls(path)} (${reason})`),
  ]
  const rows = findings.map((each) => [
    each.severity,
    each.rule,
    each.subject,
    each.installed_version,
    each.fixed_version,
    each.title,
  ])
  const found = table(['SEVERITY', 'RULE', 'WHERE', 'INSTALLED', 'FIXED IN', 'TITLE'], rows)
  return `${lines.join('\n')}\n${rows.length === 0 ? '' : `\n${found}`}`
}
