import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../args/service-command.ts'
import { CliError } from '../failure.ts'
import { findBuild } from '../lookup/find-build.ts'
import { showBytes, textOf } from '../runs/download.ts'
import type { ConnectionOptions } from '../session/connection.ts'
import { withSession } from '../session/session.ts'

interface Options extends ConnectionOptions {
  env?: string
}

const logMaxBytes = 32 * 1024 ** 2

export const buildLogCommand = (): Command =>
  serviceCommand('log')
    .description('print what the steps of a build printed')
    .argument('<build>', 'id of a version or of a build')
    .option('--env <environment>', 'environment by name or id; without it all are searched')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const place = await findBuild(session, wanted, options.env)
        const { body } = await session.client.call(allRoutes.readBuildLog, { params: place })
        if (!body)
          throw new CliError('The service sent no log.', { hint: 'Try again.', code: 'cli_download' })
        if (!session.report.json) return showBytes(body)
        session.report.result('', { build_id: place.aid, log: await textOf(body, logMaxBytes) })
      }),
    )
