import { readBaseImages } from '@sandbox-jobs/server/main/operator/images/operator-images.ts'
import { Command } from 'commander'
import { bytesText } from '../../../output/sizes.ts'
import { table } from '../../../output/table.ts'
import { withOperator } from '../../../session/operator.ts'

export const operatorBaseImageListCommand = (): Command =>
  new Command('list')
    .description('list the base images that Dockerfiles can name')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nNeeds root, on the machine of the service.')
    .action((options: { json?: boolean }) =>
      withOperator(options, undefined, readBaseImages, (items) => ({
        text: table(
          ['NAME', 'DEBIAN', 'SIZE', 'CREATED', 'PACKAGES'],
          items.map((item) => [
            item.name,
            item.suite ?? 'bookworm',
            item.byte_size === undefined ? '' : bytesText(item.byte_size),
            item.made_at,
            item.packages.join(', '),
          ]),
        ),
        document: { items },
      })),
    )
