import type { ScanReport } from '@sandbox-jobs/contract/resources/scan-report.ts'
import { severities } from '@sandbox-jobs/contract/resources/security-finding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../args/service-command.ts'
import { findBuild } from '../lookup/find-build.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { bytesText } from '../output/sizes.ts'
import { table } from '../output/table.ts'
import type { ConnectionOptions } from '../session/connection.ts'
import { withSession } from '../session/session.ts'

interface Options extends ConnectionOptions {
  env?: string
}

export const buildReportCommand = (): Command =>
  serviceCommand('report')
    .description('show what the scan of a build found')
    .argument('<build>', 'id of a version or of a build')
    .option('--env <environment>', 'environment by name or id; without it all are searched')
    .addHelpText('after', '\nFindings are advice: they fail no build. sandbox findings shows them over time.')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findBuild(session, wanted, options.env)
        const report = await session.client.call(allRoutes.readScanReport, { params })
        session.report.result(render(report), report)
      }),
    )

function render(report: ScanReport): string {
  const { system, vulnerability_database: database, findings } = report
  const counts = severities
    .filter((severity) => report.finding_counts[severity] > 0)
    .map((severity) => `${report.finding_counts[severity]} ${severity}`)
  const lines = [
    `image            ${report.layer_digest}`,
    `system           ${system ? escapeControls(system.name) : 'unknown'}`,
    `read             ${report.file_count} files, ${bytesText(report.byte_count)}`,
    `packages         ${report.package_count}`,
    `vulnerabilities  ${database ? `compared with revision ${database.revision} of ${database.imported_at}` : 'not compared: the operator has no database of them'}`,
    `findings         ${counts.length === 0 ? 'none' : counts.join(', ')}`,
    ...(report.truncated ? ['Not everything is here: the image exceeds the bounds of the scan.'] : []),
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
