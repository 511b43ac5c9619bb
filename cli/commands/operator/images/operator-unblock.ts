import { unblockImage } from '@sandbox-jobs/server/main/operator/images/operator-blocks.ts'
import { Command } from 'commander'
import { imageDigest } from '../../../args/image-digest.ts'
import { CliError } from '../../../failure.ts'
import { withLocalService } from '../../../session/local-service.ts'

export const operatorUnblockCommand = (): Command =>
  new Command('unblock')
    .description('unblock an image, so that runs can start on it again')
    .argument('<digest>', 'blocked digest', imageDigest)
    .option('--json', 'print one JSON document')
    .action((digest: string, options: { json?: boolean }) =>
      withLocalService(
        options,
        () => unblockImage(digest),
        (versions) => {
          if (!versions) {
            throw new CliError('This digest is not blocked.', {
              hint: 'sandbox operator block --list shows the blocked images.',
              code: 'cli_block_unknown',
            })
          }
          return {
            text: `Unblocked ${digest}; versions that can run again: ${versions.join(', ') || 'none'}.\n`,
            document: { digest, versions },
          }
        },
      ),
    )
