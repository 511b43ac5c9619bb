import {
  type BaseImageRecipe,
  debianSuites,
  makeBaseImage,
} from '@sandbox-jobs/server/main/operator/images/operator-images.ts'
import { Command, Option } from 'commander'
import { withOperator } from '../../../session/operator.ts'

interface Options {
  packages: string[]
  suite: BaseImageRecipe['suite']
  json?: boolean
}

export const operatorBaseImageAddCommand = (): Command =>
  new Command('add')
    .description('create a base image for Dockerfiles from Debian packages')
    .argument('<name>', 'name for FROM, such as curated/python:3.11')
    .requiredOption('--packages <names>', 'Debian packages, separated by commas', (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .addOption(
      new Option('--suite <name>', 'Debian release: bookworm is Debian 12, trixie is Debian 13')
        .choices(debianSuites)
        .default('bookworm'),
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nNeeds root, on the machine of the service.' +
        '\n\nExample:\n  sandbox operator base-image add curated/python:3.11 --packages python3' +
        '\n  sandbox operator base-image add curated/python:3.13 --packages python3 --suite trixie',
    )
    .action((name: string, options: Options) =>
      withOperator(
        options,
        `making ${name}`,
        () => makeBaseImage({ name, packages: options.packages, suite: options.suite }),
        (made) => ({
          text: made ? `Created ${name}.\n` : `${name} already exists.\n`,
          document: { name, made },
        }),
      ),
    )
