import { makeBaseImage } from '@sandbox-jobs/server/main/operator-images.ts'
import { Command } from 'commander'
import { withOperator } from '../session/operator.ts'

interface Options {
  packages: string[]
  json?: boolean
}

export const operatorBaseImageAddCommand = (): Command =>
  new Command('add')
    .description('make a base image for Dockerfiles from Debian packages; kept for later')
    .argument('<name>', 'what FROM names, such as curated/python:3.11')
    .requiredOption('--packages <names>', 'Debian packages, separated by commas', (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      '\nNeeds root, on the machine of the service.' +
        '\n\nExample:\n  sandbox operator base-image add curated/python:3.11 --packages python3',
    )
    .action((name: string, options: Options) =>
      withOperator(
        options,
        `making ${name}`,
        () => makeBaseImage(name, options.packages),
        (made) => ({
          text: made ? `${name} is made.\n` : `${name} is there already.\n`,
          document: { name, made },
        }),
      ),
    )
