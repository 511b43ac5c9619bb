import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { buildArgument, findBuild } from '../../lookup/find-build.ts'
import { reportText } from '../../output/report-text.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  env?: string
}

export const buildReportCommand = (): Command =>
  serviceCommand('report')
    .description('show the scan report of a build')
    .argument('<build>', buildArgument)
    .option('--env <environment>', 'environment, by name or id (default: search all)')
    .addHelpText('after', '\nFindings do not fail a build. sandbox findings shows them over time.')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findBuild(session, wanted, options.env)
        const report = await session.client.call(allRoutes.readScanReport, { params })
        session.report.result(reportText(report), report)
      }),
    )
