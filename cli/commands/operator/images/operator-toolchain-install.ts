import { makeToolchain } from '@sandbox-jobs/server/main/operator/images/operator-images.ts'
import { Command } from 'commander'
import { withOperator } from '../../../session/operator.ts'

export const operatorToolchainInstallCommand = (): Command =>
  new Command('install')
    .description('create the builder from Debian packages (about a minute the first time)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nNeeds root, on the machine of the service.')
    .action((options: { json?: boolean }) =>
      withOperator(options, 'creating the builder', makeToolchain, (made) => ({
        text: made ? 'Created the builder.\n' : 'The builder already exists.\n',
        document: { made },
      })),
    )
