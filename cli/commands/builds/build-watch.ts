import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { buildArgument, findBuild } from '../../lookup/find-build.ts'
import { watchBuild } from '../../push/watch-build.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  env?: string
  follow?: boolean
}

export const buildWatchCommand = (): Command =>
  serviceCommand('watch')
    .description('follow a build until it has ended')
    .argument('<build>', buildArgument)
    .option('--env <environment>', 'environment, by name or id (default: search all)')
    .option('-f, --follow', 'also show the log of the build')
    .addHelpText('after', '\nExits with 1 when the build fails.')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const reference = await findBuild(session, wanted, options.env)
        await watchBuild(session, reference, options)
        const params = { id: reference.id, vid: reference.vid }
        const version = await session.client.call(allRoutes.readEnvironmentVersion, { params })
        const text = `Version ${version.version_number} (${version.id}) is ${version.state}.\n`
        session.report.result(text, { event: 'version', version })
      }),
    )
