import { makeToolchain } from '@sandbox-jobs/server/main/operator-images.ts'
import { Command } from 'commander'
import { withOperator } from '../session/operator.ts'

export const operatorToolchainInstallCommand = (): Command =>
  new Command('install')
    .description('make the builder from Debian packages; kept for later (about a minute the first time)')
    .option('--json', 'one JSON document')
    .addHelpText('after', '\nNeeds root, on the machine of the service.')
    .action((options: { json?: boolean }) =>
      withOperator(options, 'making the builder', makeToolchain, (made) => ({
        text: made ? 'The builder is made.\n' : 'The builder is there already.\n',
        document: { made },
      })),
    )
