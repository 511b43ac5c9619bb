import { unblockImage } from '@sandbox-jobs/server/main/operator-blocks.ts'
import { Command } from 'commander'
import { imageDigest } from '../args/image-digest.ts'
import { CliError } from '../failure.ts'
import { withLocalService } from '../session/local-service.ts'

export const operatorUnblockCommand = (): Command =>
  new Command('unblock')
    .description('start runs again on an image that was blocked')
    .argument('<digest>', 'as it was blocked', imageDigest)
    .option('--json', 'one JSON document')
    .action((digest: string, options: { json?: boolean }) =>
      withLocalService(
        options,
        () => unblockImage(digest),
        (versions) => {
          if (!versions) {
            throw new CliError('This digest is not blocked.', {
              hint: 'sandbox operator block --list shows what is blocked.',
              code: 'cli_block_unknown',
            })
          }
          return {
            text: `${digest} is not blocked any more; versions that run again: ${versions.join(', ') || 'none'}.\n`,
            document: { digest, versions },
          }
        },
      ),
    )
