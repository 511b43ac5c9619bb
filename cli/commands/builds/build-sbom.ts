import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError } from '../../failure.ts'
import { buildArgument, findBuild } from '../../lookup/find-build.ts'
import { showBytes } from '../../runs/download.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  env?: string
}

export const buildSbomCommand = (): Command =>
  serviceCommand('sbom')
    .description('print the packages in the image of a build as CycloneDX JSON')
    .argument('<build>', buildArgument)
    .option('--env <environment>', 'environment, by name or id (default: search all)')
    .addHelpText('after', '\nExample:\n  sandbox build sbom ver_0197... > sbom.json')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findBuild(session, wanted, options.env)
        const { body } = await session.client.call(allRoutes.readSbom, { params })
        if (!body)
          throw new CliError('The service sent no SBOM.', { hint: 'Try again.', code: 'cli_download' })
        await showBytes(body)
      }),
    )
