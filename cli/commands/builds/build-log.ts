import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError } from '../../failure.ts'
import { followLog } from '../../logs/follow-log.ts'
import { logOfBuild } from '../../logs/followed-logs.ts'
import { buildArgument, findBuild } from '../../lookup/find-build.ts'
import { showBytes, textOf } from '../../runs/download.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  env?: string
  follow?: boolean
}

const logMaxBytes = 32 * 1024 ** 2

export const buildLogCommand = (): Command =>
  serviceCommand('log')
    .description('print the log of a build')
    .argument('<build>', buildArgument)
    .option('--env <environment>', 'environment, by name or id (default: search all)')
    .option('-f, --follow', 'show the log while the build writes it, until the build ends')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const reference = await findBuild(session, wanted, options.env)
        if (options.follow === true) return followLog(session, logOfBuild(session, reference))
        const { body } = await session.client.call(allRoutes.readBuildLog, { params: reference })
        if (!body)
          throw new CliError('The service sent no log.', { hint: 'Try again.', code: 'cli_download' })
        if (!session.report.json) return showBytes(body)
        session.report.result('', { build_id: reference.aid, log: await textOf(body, logMaxBytes) })
      }),
    )
